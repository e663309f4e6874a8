"""The shipped verifier against the clock, on an idle machine: partial results, long sources."""

from __future__ import annotations

import time

import pytest

from tests.integration.models.shipped_verifier import shipped_verify
from upheld.check import check
from upheld.run.budget import Budget
from upheld.types import Cause, Support
from upheld.verification.claims import split_answer
from upheld_lab.bench.verify.made_answers import AnswerWriter
from upheld_lab.bench.verify.speed import LENGTHS, long_source, time_lengths

pytestmark = pytest.mark.campaign


async def test_with_a_third_of_the_time_a_quarter_of_thirty_claims_have_verdicts() -> None:
    """Thirty sentences without marks against five sources of 5,000 characters."""
    writer = AnswerWriter(3)
    answers = [writer.answer() for _ in range(5)]
    sources = [long_source(writer, answer, 5_000).text for answer in answers]
    said = [each.text for answer in answers for each in split_answer(answer.text)]
    text = " ".join(said)
    async with shipped_verify() as verify:
        await check(verify, said[0], sources[:1])  # the model is loaded by the first
        began = time.perf_counter()
        whole = await check(verify, text, sources)
        seconds = (time.perf_counter() - began) / 3
        began = time.perf_counter()
        cut = await check(verify, text, sources, budget=Budget(seconds=seconds))
        assert time.perf_counter() - began < seconds + 0.5
    assert len(whole.claims) == 30
    assert not whole.degraded
    decided = [each for each in cut.claims if each.verdict.support is not Support.NOT_CHECKED]
    print(f"{len(decided)} of 30 claims were decided in {seconds:.1f} s, a third of what all take")
    assert len(decided) >= 30 / 4
    for claim in cut.claims:
        if claim.verdict.support is Support.NOT_CHECKED:
            assert claim.verdict.cause is Cause.OUT_OF_TIME
            assert f"(limit: {seconds:g} s)" in claim.verdict.reason


async def test_a_claim_takes_as_long_against_a_source_that_is_ten_times_as_long() -> None:
    """The best of three rounds, so that what else a machine does in one of them does not count."""
    async with shipped_verify() as verify:
        await time_lengths(verify, AnswerWriter(1), lambda *_: None)  # opens the models
        rounds = [await time_lengths(verify, AnswerWriter(2), lambda *_: None) for _ in range(3)]
    best = [min(row["a claim, s"] for row in rows) for rows in zip(*rounds, strict=True)]
    print("a claim:", *(f"{s:.2f} s at {n:,}" for s, n in zip(best, LENGTHS, strict=True)))
    assert best[2] <= 1.5 * best[1]
    assert max(row["pairs a claim"] for rows in rounds for row in rows) <= 6
