"""No text of a test set trains, on made-up data; on the real pack: models/test_pack_leaks."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from upheld_lab.bench.verify.labels import Label
from upheld_lab.bench.verify.sets import CALIBRATION_SETS, TEST_SETS, Case, for_training, load
from upheld_lab.training.verifier.data import SCORER, VERIFIER, Diet, feed
from upheld_lab.training.verifier.grounded import RAGTRUTH
from upheld_lab.training.verifier.leaks import (
    TestTexts,
    normalised,
    sharing,
    test_texts,
    without_leaks,
)
from upheld_lab.training.verifier.pairs import Pair

SMALL = replace(VERIFIER, twins=100)
PAGE = "The bridge was opened in the spring of 1932. It is a kilometre long."


@pytest.fixture
def tests() -> TestTexts:
    claim = "A claim that people labelled."
    return test_texts([Case("made", claim, (("Bridge", PAGE),), Label.ENTAILS, "bridge")])


@pytest.mark.parametrize(
    ("premise", "claim"),
    [
        (PAGE.upper(), "Another claim."),
        (f"Bridge\n{PAGE}", "Another claim."),
        (PAGE.replace(".", " !"), "Another claim."),
        ("Another premise.", "a claim that people LABELLED"),
        ("Another premise.", "The bridge was opened in the spring of 1932!"),
    ],
)
def test_a_pair_with_a_text_of_a_test_set_is_dropped_and_counted(
    tests: TestTexts, premise: str, claim: str
) -> None:
    leaking = Pair(premise, claim, Label.ENTAILS, "made", "1")
    clean = Pair("Another premise.", "Another claim.", Label.NEUTRAL, "made", "2")
    kept, dropped = without_leaks([leaking, clean], tests)
    assert kept == [clean]
    assert dropped == {"made": 1}


def test_a_premise_that_was_cut_is_known_by_its_whole(tests: TestTexts) -> None:
    cut = Pair("It is a kilometre long.", "Another claim.", Label.ENTAILS, "made", "1", PAGE)
    assert without_leaks([cut], tests) == ([], {"made": 1})


def test_passages_that_share_a_telling_sentence_with_a_test_set_make_no_pairs(
    tests: TestTexts,
) -> None:
    assert tests.share_a_sentence(["New.", "The bridge was opened in the spring of 1932."])
    assert not tests.share_a_sentence(["It is a kilometre long.", "Nothing else is the same here."])


def test_pairs_that_share_only_a_sentence_are_kept_and_counted(tests: TestTexts) -> None:
    longer = f"Bridge\n{PAGE} It was painted red ten years after that."
    near = Pair(longer, "It is red.", Label.ENTAILS, "made", "1")
    far = Pair("Bridge\nIt was painted red.", "It is red.", Label.ENTAILS, "made", "2")
    assert without_leaks([near, far], tests) == ([near, far], {})
    assert sharing([near, far], tests) == {"made": 1}


def test_the_verifier_and_the_scorer_share_no_source() -> None:
    def covers(diet: Diet, source: str) -> bool:
        return source.startswith(diet.nli)

    for source in ("snli", "cf-snli-revised", "fever-nli", "fool-me-twice", "mnli", "summedits-x"):
        assert covers(VERIFIER, source) != covers(SCORER, source)
    assert VERIFIER.people
    assert not SCORER.people


def test_a_made_up_pack_trains_without_its_test_rows(tmp_path: Path) -> None:
    pack(tmp_path)
    fed = feed(SMALL, tmp_path, tmp_path / "none.jsonl")
    assert fed.dropped.get("bump") == 1
    claims = {normalised(pair.claim) for pair in fed.pairs}
    assert fed.dropped["fever-nli"] == 1
    assert fed.dropped["fool-me-twice"] == 1
    assert "a new claim about a film" in claims
    assert "a claim of the test set" not in claims
    assert not any("held out abstract" in pair.premise for pair in fed.pairs)
    assert {pair.source for pair in fed.pairs} >= {"fool-me-twice", "scifact", "expertqa"}


def test_what_is_given_for_research_only_does_not_train(tmp_path: Path) -> None:
    pack(tmp_path)
    shipped = feed(SMALL, tmp_path, tmp_path / "none.jsonl")
    compared = feed(replace(SMALL, ragtruth=True), tmp_path, tmp_path / "none.jsonl")
    assert not any(pair.source == RAGTRUTH for pair in shipped.pairs)
    assert any(pair.source == RAGTRUTH for pair in compared.pairs)


def test_dev_files_are_parted_by_document(tmp_path: Path) -> None:
    pack(tmp_path)
    fed = feed(SMALL, tmp_path, tmp_path / "none.jsonl")
    training = {pair.document for pair in fed.pairs if pair.source == "expertqa"}
    calibrating = {case.document for case in load("expertqa_dev", tmp_path)}
    assert training
    assert calibrating
    assert not training & calibrating
    assert all(map(for_training, training))
    assert len(training | calibrating) == 12


def test_every_set_is_read_from_a_made_up_pack(tmp_path: Path) -> None:
    pack(tmp_path)
    for name in TEST_SETS + CALIBRATION_SETS:
        for case in load(name, tmp_path):
            assert case.claim
            assert case.passages


def pack(folder: Path) -> None:
    """The smallest pack that every reader can read."""
    fever = {"source": "fever-nli", "hypothesis": "It is so, people say.", "label": "entailment"}
    film = {"source": "fool-me-twice", "label": "contradiction"}
    test = [
        {**fever, "premise": "Title . A sentence of the test set here.", "hypothesis": "A."},
        {
            **film,
            "premise": "Film: It was shot in one day.",
            "hypothesis": "A claim of the test set.",
        },
    ]
    train = [
        {**fever, "premise": "title . a sentence of the TEST set here ."},
        {**film, "premise": "Film: Another text.", "hypothesis": "a claim of the test set"},
        {**film, "premise": "Film: Another text.", "hypothesis": "A new claim about a film."},
    ]
    marked = {"source": "bump", "kind": "k", "question": None, "group": "g", "label": "neutral"}
    said = {**marked, "premise": ["A marked page."], "claim": "It was marked by people."}
    held = {**marked, "premise": ["A held out page."], "claim": "It was held out of training."}
    research = {**said, "source": RAGTRUTH, "claim": "It was written for research."}
    write(folder / "g_grounded/train.jsonl.gz", [said, held, research])
    write(folder / "g_grounded/test.jsonl.gz", [held])
    write(folder / "g_grounded/eval_only.jsonl.gz", [])
    (folder / "g_grounded/deceptive.jsonl").write_text("")
    write(folder / "e_nli/nli_open_test.jsonl.gz", test)
    write(folder / "e_nli/nli_open_train.jsonl.gz", train)
    write(folder / "e_nli/nli_open_dev.jsonl.gz", [])
    c = folder / "c_verification"
    abstracts = [
        {"doc_id": 1, "title": "One", "abstract": ["Rats sleep.", "Mice run far in the dark."]},
        {"doc_id": 2, "title": "Two", "abstract": ["A held out abstract.", "It says little."]},
    ]
    evidence = {"1": [{"sentences": [1], "label": "SUPPORT"}]}
    claim = {"id": 1, "claim": "Mice run.", "evidence": evidence, "cited_doc_ids": [1, 2]}
    for name in ("passages", "q_squad11_dev", "q_squad2_dev", "q_nq_open_oracle"):
        write(folder / f"a_corpus/{name}.jsonl.gz", [])
    write(c / "scifact_corpus.jsonl.gz", abstracts)
    with gzip.open(c / "pubmedqa_pqal.json.gz", "wt", encoding="utf-8") as out:
        asked = {"QUESTION": "Do mice run?", "CONTEXTS": ["Mice run."], "final_decision": "yes"}
        json.dump({"7": asked}, out)
    write(c / "scifact_claims_train.jsonl.gz", [claim])
    held_out = {"id": 2, "claim": "Cats do not.", "evidence": {}, "cited_doc_ids": [2]}
    write(c / "scifact_claims_dev.jsonl.gz", [held_out])
    write(c / "expertqa_rand_val.jsonl.gz", [expert(f"Question {i}?") for i in range(12)])
    write(c / "expertqa_rand_test.jsonl.gz", [expert("Test question?", "Held by the test.")])
    stance = {"claim": "C.", "evidence": "E.", "stance": "irrelevant"}
    write(c / "factcheckgpt_claim_evidence_stance.jsonl.gz", [stance])
    web = {"evidence": ["(meta data) TITLE: Page", "It is so."], "claim": "So it is."}
    row = {**web, "label": "supported", "supporting_sentences": [[1]]}
    write(c / "wice_claim_test.jsonl.gz", [row])
    write(c / "wice_claim_dev.jsonl.gz", [row])
    for name in ("dev_wow", "dev_tc", "dev_cmu", "test_wow"):
        head = "model_name\tdata_source\tknowledge\tmessage\tresponse\tbegin_label\n"
        line = f"m\td\tKnowledge {name}.\thi\tReply {name}.\tFully attributable\n"
        with gzip.open(c / f"begin_{name}.tsv.gz", "wt", encoding="utf-8") as out:
            out.write(head + line)


def expert(question: str, claim: str = "Sleep helps people to learn [1].") -> dict[str, Any]:
    evidence = [f"[1] https://a.b\n\nPeople who sleep learn better, says {question}"]
    said = {"claim_string": claim, "evidence": evidence, "support": "Complete"}
    missing = {**said, "support": "Missing", "evidence": []}
    return {"question": question, "answers": {"some": {"claims": [said, missing]}}}


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as out:
        out.writelines(json.dumps(row) + "\n" for row in rows)
