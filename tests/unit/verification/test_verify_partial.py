"""Verdicts that were reached in time stay, however long the rest would have taken."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from upheld.ports import Judgement, Pair
from upheld.run.budget import Budget
from upheld.run.trace import Run, start_run
from upheld.types import Cause, Claim, Support
from upheld.verification.verify import Verify
from upheld.verification.verify_answer import verify_answer
from upheld_lab.testing.fake_entailment import FakeEntailment, Fault

TOPICS = ("ferries", "lamps", "gulls", "boats", "tides", "ropes")
SENTENCES = [
    f"In the year {1800 + n} the harbour bought {n + 3} {TOPICS[n % 6]} for its crew."
    for n in range(30)
]
ANSWER = " ".join(SENTENCES)  # without marks: each sentence is held against every source


def sources() -> list[str]:
    """Five of 5,000 characters, each with a fifth of the facts, in other words."""
    found = []
    for which in range(5):
        told = [
            f"The harbour, for its crew, bought {n + 3} {TOPICS[n % 6]} in the year {1800 + n}."
            for n in range(which, 30, 5)
        ]
        days = [f"On day {day} of book {which} it rained over the long pier." for day in range(99)]
        found.append(" ".join(told[:3] + days + told[3:])[:5_000])
    return found


@dataclass
class Clocked(FakeEntailment):
    """Takes a tenth of a second of the run's clock a pair, and is stopped at its deadline."""

    run: Run = field(default_factory=Run)
    now: float = 0.0

    def attach(self, run: Run) -> None:
        self.run = run
        run.meter.clock = lambda: self.now
        run.meter.started = self.now

    async def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        for _ in pairs:
            await asyncio.sleep(0)  # other claims take their turn
            if self.run.meter.seconds_left <= 0:
                raise TimeoutError
            self.now += 0.1
        return await super().judge(pairs)


async def check(seconds: float | None) -> tuple[tuple[Claim, ...], float]:
    model = Clocked()
    with start_run(Budget(seconds=seconds)) as run:
        model.attach(run)
        return await verify_answer(Verify(model=model), ANSWER, sources()), model.now


async def test_with_a_third_of_the_time_a_quarter_of_the_claims_have_verdicts() -> None:
    whole, seconds = await check(None)
    assert all(claim.verdict.support is not Support.NOT_CHECKED for claim in whole)
    cut, used = await check(seconds / 3)
    assert used <= seconds / 3 + 0.1
    decided = [n for n, each in enumerate(cut) if each.verdict.support is not Support.NOT_CHECKED]
    assert len(decided) >= len(whole) / 4
    assert [cut[n] for n in decided] == [whole[n] for n in decided]  # final as they were reached
    assert max(decided) < len(decided) + 2  # in the order of the answer
    for claim in cut:
        if claim.verdict.support is Support.NOT_CHECKED:
            assert claim.verdict.cause is Cause.OUT_OF_TIME
            assert f"(limit: {seconds / 3:g} s)" in claim.verdict.reason


async def test_a_failure_at_one_claim_leaves_the_others_their_verdicts() -> None:
    model = FakeEntailment(faults=[None, None, Fault.ERROR])
    answer = "The ferry leaves at noon. [1] Gulls nest on the roof. [1] Dogs bark. [1]"
    first, second, third = await verify_answer(
        Verify(model=model), answer, ["The ferry leaves the harbour at noon."]
    )
    assert first.verdict.support is Support.SUPPORTED
    assert second.verdict.support is Support.UNSUPPORTED
    assert third.verdict.cause is Cause.MODEL_FAILED


async def test_progress_tells_how_many_claims_are_decided() -> None:
    seen: list[tuple[int, int]] = []
    with start_run():
        await verify_answer(
            Verify(model=FakeEntailment()),
            "The ferry leaves at noon. [1] Gulls nest on the roof. [1] Dogs bark. [1]",
            ["The ferry leaves the harbour at noon."],
            progress=lambda decided, total: seen.append((decided, total)),
        )
    assert seen == [(1, 3), (2, 3), (3, 3)]


async def test_a_check_that_is_cancelled_asks_the_model_nothing_more() -> None:
    asked = asyncio.Event()

    class Hanging(FakeEntailment):
        async def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
            asked.set()
            return await super().judge(pairs)

    model = Hanging(faults=[Fault.HANG] * 30)
    checking = asyncio.create_task(verify_answer(Verify(model=model), ANSWER, sources()))
    await asked.wait()
    checking.cancel()
    await asyncio.wait((checking,))
    assert checking.cancelled()
    assert len(model.asked) <= 2  # no more claims than are read at once


async def test_thousands_of_claims_that_are_given_up_do_not_hold_the_event_loop() -> None:
    turns = 0

    async def neighbour() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    beside = asyncio.create_task(neighbour())
    with start_run(Budget(seconds=0)):
        claims = [Claim(f"On day {day} it rained.") for day in range(3_000)]
        verify = Verify(model=FakeEntailment(), grace=0)
        checked = await verify(claims, [])
    beside.cancel()
    assert {each.verdict.cause for each in checked} == {Cause.OUT_OF_TIME}
    assert turns >= len(claims) / verify.pairs_at_once  # no more are given up at a time
