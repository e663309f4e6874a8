"""The speed of checking: the made answers, the bare loops, and a small run of all of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from upheld.edge.onnx.cross_encoder import LocalEntailment
from upheld.errors import ModelError
from upheld.ports import Pair
from upheld.verification.claims import split_answer
from upheld.verification.verify import Verify
from upheld_lab.bench.verify.bare_entailment import bare_loops, budgeted, eights, one_by_one
from upheld_lab.bench.verify.made_answers import PASSAGES, AnswerWriter
from upheld_lab.bench.verify.speed import (
    Sizes,
    fastest,
    made_pairs,
    measure,
    requests,
    time_answers,
)
from upheld_lab.testing.fake_entailment import FakeEntailment
from upheld_models import embedder_tokenizer

TINY = Path(__file__).parent.parent.parent / "data" / "tiny_entailment.onnx"
SMALL = Sizes(pairs=10, rounds=1, pairs_a_request=4, shared_rounds=1, answers=2)


def nobody(what: str, done: int, total: int) -> None:
    """Watches nothing."""


def test_a_made_answer_has_six_claims_that_cite_five_ordinary_passages() -> None:
    writer = AnswerWriter()
    lengths = []
    for _ in range(100):
        answer = writer.answer()
        sentences = split_answer(answer.text)
        assert len(sentences) == 6
        assert len(answer.passages) == PASSAGES
        assert all(1 <= len(each.marks) <= 2 for each in sentences)
        assert {mark for each in sentences for mark in each.marks} <= set(range(1, PASSAGES + 1))
        lengths += [len(passage.text.split()) for passage in answer.passages]
    assert 110 < np.mean(lengths) < 130
    assert min(lengths) > 75
    assert max(lengths) < 165


def test_made_answers_are_the_same_for_the_same_seed_and_never_alike() -> None:
    assert AnswerWriter(1).answer() == AnswerWriter(1).answer()
    writer = AnswerWriter(1)
    texts = [passage.text for _ in range(50) for passage in writer.answer().passages]
    assert len(set(texts)) == len(texts)


def test_a_made_answer_speaks_of_what_it_cites_but_for_its_last_two_claims() -> None:
    writer = AnswerWriter(5)
    for _ in range(10):
        answer = writer.answer()
        titles = [passage.title.removeprefix("The ") for passage in answer.passages]
        towns = [title.rpartition(" ")[2] for title in titles]
        *right, elsewhere, nowhere = split_answer(answer.text)
        assert all(any(towns[mark - 1] in each.text for mark in each.marks) for each in right)
        assert not any(towns[mark - 1] in elsewhere.text for mark in elsewhere.marks)
        assert any(town in elsewhere.text for town in towns)
        assert not any(f"of {title}" in nowhere.text for title in titles)


def test_half_of_the_pairs_of_every_request_are_in_all_of_them() -> None:
    asked = requests(AnswerWriter(0), Sizes(requests=8, pairs_a_request=12))
    assert [len(each) for each in asked] == [12] * 8
    often = Counter(pair for each in asked for pair in each)
    assert Counter(often.values()) == {8: 6, 1: 48}


@pytest.mark.parametrize("cut", [one_by_one, eights, budgeted])
def test_a_loop_takes_every_pair_once(cut: object) -> None:
    lengths = [200, 30, 180, 90, 256, 31, 40, 55, 60, 199]
    batches = cut(lengths)  # type: ignore[operator]  # one of three functions
    assert sorted(place for batch in batches for place in batch) == list(range(10))
    if cut is budgeted:
        assert all(max(lengths[i] for i in batch) * len(batch) <= 1_024 for batch in batches)


async def test_every_bare_loop_does_the_work_that_ours_does() -> None:
    pairs = made_pairs(AnswerWriter(2), 9)
    model = LocalEntailment(TINY, embedder_tokenizer(), threads=2)
    ours = [(each.entails, each.contradicts, each.neutral) for each in await model.judge(pairs)]
    await model.close()
    loops = bare_loops(TINY, embedder_tokenizer())
    assert len(loops) == 6
    for loop in loops.values():
        powers = np.exp(np.asarray(loop(pairs)))
        assert powers / powers.sum(axis=1, keepdims=True) == pytest.approx(np.asarray(ours))


def test_the_fastest_loop_is_the_one_to_beat() -> None:
    def slow(pairs: object) -> None:
        sum(range(300_000))

    loops = {"slow": slow, "quick": lambda _: None, "also slow": slow}
    assert fastest(loops, [Pair("a premise", "a claim")], nobody) == "quick"


async def test_a_small_run_measures_every_figure() -> None:
    model = LocalEntailment(TINY, embedder_tokenizer(), threads=2)
    report = await measure(Verify(model=model), TINY, embedder_tokenizer(), nobody, SMALL)
    await model.close()
    assert list(report.bars) == [
        "pairs_per_s",
        "verify_over_bare",
        "shared_speedup",
        "answer_p95_s",
        "claim_100k_over_10k",
    ]
    assert all(value > 0 for value in report.bars.values())
    assert report.rows[2]["most pairs"] >= 8  # six claims, two of which cite two passages
    lengths = report.rows[3:]
    assert [row["characters of the source"] for row in lengths] == [1_000, 10_000, 100_000]
    short, *long = (row["pairs a claim"] for row in lengths)
    assert 1 <= short <= 2  # the whole source, and the sentence nearest to the claim
    assert long == [6, 6]
    assert all(row["preparation, once, s"] > 0 for row in lengths)
    assert report.manifest["model"] == model.identity


async def test_an_answer_that_was_not_checked_to_its_end_has_no_time() -> None:
    closed = FakeEntailment()
    await closed.close()
    with pytest.raises(ModelError):
        await time_answers(Verify(model=closed), AnswerWriter(0), 1, nobody)
    with pytest.raises(ModelError, match="no verifier model"):
        await measure(Verify(model=None), TINY, embedder_tokenizer(), nobody, SMALL)
