"""Claims are passed on in order, once, and only when nothing can change them any more."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from upheld.answer.verified_claims import VerifiedClaims, passing_on
from upheld.run.trace import span, start_run
from upheld.types import Claim, Draft, Question, Support, Verdict

ASKED = Question("When?")


def claim(text: str, support: Support = Support.SUPPORTED, relevance: float | None = None) -> Claim:
    return Claim(text, verdict=Verdict(support), relevance=relevance)


async def passed_on(
    *drafts: Draft, repairs: bool = False, least_relevance: float | None = None
) -> list[str]:
    """What is passed on of drafts that a method announces one after the other."""
    sent: list[str] = []

    async def finish(draft: Draft) -> Draft:
        with span("verify"):  # not a step of the answer
            return draft

    async def on_claim(each: Claim) -> None:
        sent.append(each.text)

    claims = VerifiedClaims(finish, on_claim, repairs, False, least_relevance)
    with start_run() as run:
        async with passing_on(run, ASKED, claims):
            for draft in drafts:
                run.announce(draft)
                for _ in range(10):  # the turns of the task that passes them on
                    await asyncio.sleep(0)
        run.announce(drafts[-1])  # nobody listens any more
        assert run.events == []
    return sent


def draft(*claims: Claim) -> Draft:
    return Draft(ASKED, claims)


ONE, TWO = claim("One."), claim("Two.")
WRONG = claim("Wrong.", Support.UNSUPPORTED)


async def test_each_claim_is_passed_on_once_and_in_order() -> None:
    assert await passed_on(draft(ONE), draft(ONE, TWO), draft(ONE, TWO)) == ["One.", "Two."]
    other = replace(draft(ONE, TWO), question=Question("A part?"))
    assert await passed_on(draft(ONE), other) == ["One."]
    assert await passed_on(draft(ONE), draft(TWO, ONE)) == ["One."]  # another draft


@pytest.mark.parametrize(
    ("repairs", "sent"), [(False, ["One.", "Wrong.", "Two."]), (True, ["One."])]
)
async def test_what_may_be_repaired_waits_with_all_after_it(repairs: bool, sent: list[str]) -> None:
    assert await passed_on(draft(ONE, WRONG, TWO), repairs=repairs) == sent


async def test_what_may_be_withheld_waits() -> None:
    low, high = claim("Low.", relevance=0.2), claim("High.", relevance=0.9)
    assert await passed_on(draft(low), least_relevance=0.8) == []
    assert await passed_on(draft(low), draft(low, high), least_relevance=0.8) == ["Low.", "High."]
    assert await passed_on(draft(ONE), least_relevance=0.8) == ["One."]  # nothing grades claims
