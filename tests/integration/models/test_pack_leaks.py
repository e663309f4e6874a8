"""The rule against leaks on the real data pack: UPHELD_DATA names its folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from upheld_lab.bench.corpus import load as load_corpus
from upheld_lab.bench.metrics import normalise
from upheld_lab.bench.pack import rows
from upheld_lab.bench.split import Split
from upheld_lab.bench.verify.sets import TEST_SETS, load
from upheld_lab.training.grader.questions import HYBRIDQA, asked
from upheld_lab.training.verifier.data import SCORER, VERIFIER, Diet, feed
from upheld_lab.training.verifier.leaks import normalised

pytestmark = pytest.mark.campaign


@pytest.fixture
def data() -> Path:
    folder = os.environ.get("UPHELD_DATA")
    if not folder:
        pytest.skip("UPHELD_DATA does not name the folder of the data pack")
    return Path(folder)


@pytest.mark.parametrize("diet", [VERIFIER, SCORER], ids=lambda diet: diet.name)
def test_no_row_that_trains_has_a_premise_or_a_claim_of_a_test_set(diet: Diet, data: Path) -> None:
    fed = feed(diet, data, data / "no paraphrases")
    claims, premises = set[str](), set[str]()
    for name in TEST_SETS:
        for case in load(name, data):
            claims.add(normalised(case.claim))
            premises.update(normalised(text) for _, text in case.passages)
    premises |= {normalised(r["premise"]) for r in rows(data / "e_nli" / "nli_open_test.jsonl.gz")}
    assert len(fed.pairs) > 10_000
    assert not [pair for pair in fed.pairs if normalised(pair.claim) in claims]
    assert not [p for p in fed.pairs if normalised(p.whole or p.premise) in premises]
    if diet is VERIFIER:
        assert fed.dropped["fever-nli"] > 3_000  # they are there, and they are found


def test_no_question_that_trains_the_grader_is_asked_on_dev_or_test(data: Path) -> None:
    corpus = load_corpus(data)
    trained = asked(corpus, data, Split.TRAIN)
    elsewhere = [
        question
        for some in corpus.questions.values()
        for question in some
        if question.split is not Split.TRAIN
    ]
    assert len(trained) > 10_000
    assert not {normalise(one.text) for one in trained} & {normalise(q.text) for q in elsewhere}
    needed = frozenset().union(*(question.gold for question in elsewhere))
    hybrid = [one for one in trained if one.set == HYBRIDQA]
    assert len(hybrid) > 1_000
    assert not [one for one in hybrid if one.gold & needed]
