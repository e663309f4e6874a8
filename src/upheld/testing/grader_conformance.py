"""What every `Grader` must do; subclass it in a test and define a `grader` fixture."""

from __future__ import annotations

import asyncio

import pytest

from upheld.errors import ModelError
from upheld.ports import Grader, QueryPassagePair

QUERY = "When was the lighthouse built?"
PAIRS = (
    QueryPassagePair(QUERY, "The lighthouse was built in 1869."),
    QueryPassagePair(QUERY, "Enzymes speed up chemical reactions."),
    QueryPassagePair(QUERY, ""),
    QueryPassagePair("", "The lighthouse was built in 1869."),
    QueryPassagePair(QUERY, "naïve café – 日本語 🙂 \ud800"),
    QueryPassagePair(QUERY, "word " * 2_000),
    QueryPassagePair("word " * 2_000, "The lighthouse was built in 1869."),
)


class GraderConformance:
    """The contract of the port, as tests."""

    async def test_one_probability_a_pair(self, grader: Grader) -> None:
        scores = await grader.grade(PAIRS)
        assert len(scores) == len(PAIRS)
        assert all(0 < score < 1 for score in scores)

    async def test_no_pairs_give_no_scores(self, grader: Grader) -> None:
        assert await grader.grade([]) == []

    async def test_scores_come_in_the_order_of_the_pairs(self, grader: Grader) -> None:
        together = await grader.grade(PAIRS)
        for place, pair in enumerate(PAIRS):
            [alone] = await grader.grade([pair])
            assert near(alone, together[place])

    async def test_the_same_call_gives_the_same_scores(self, grader: Grader) -> None:
        assert await grader.grade(PAIRS) == await grader.grade(PAIRS)

    async def test_callers_at_the_same_time_get_their_own(self, grader: Grader) -> None:
        alone = [await grader.grade([pair, PAIRS[0]]) for pair in PAIRS]
        found = await asyncio.gather(*(grader.grade([pair, PAIRS[0]]) for pair in PAIRS))
        for ours, theirs in zip(found, alone, strict=True):
            assert all(near(one, other) for one, other in zip(ours, theirs, strict=True))

    async def test_a_caller_who_leaves_takes_nothing_from_the_others(self, grader: Grader) -> None:
        leaving = asyncio.create_task(grader.grade(PAIRS))
        staying = asyncio.create_task(grader.grade(PAIRS))
        await asyncio.sleep(0)
        leaving.cancel()
        await asyncio.gather(leaving, return_exceptions=True)
        assert len(await staying) == len(PAIRS)

    async def test_a_closed_grader_says_so(self, grader: Grader) -> None:
        await grader.close()
        with pytest.raises(ModelError):
            await grader.grade(PAIRS)

    async def test_the_identity_names_the_weights(self, grader: Grader) -> None:
        assert grader.identity


class TrainedGraderConformance(GraderConformance):
    """What a trained grader must do in addition."""

    async def test_it_tells_what_helps_from_what_does_not(self, grader: Grader) -> None:
        helps, other, empty, *_ = await grader.grade(PAIRS)
        assert helps > 0.5 > max(other, empty)

    async def test_the_end_of_a_long_text_does_not_hide_its_beginning(self, grader: Grader) -> None:
        long = QueryPassagePair(QUERY, PAIRS[0].text + " Dogs travel free on the ferry." * 500)
        other = QueryPassagePair(QUERY, "Dogs travel free on the ferry. " * 500)
        helps, does_not = await grader.grade([long, other])
        assert helps > does_not


def near(one: float, other: float) -> bool:
    """Return whether two scores are equal up to int8 scaling, which depends on the batch."""
    return abs(one - other) < 0.1
