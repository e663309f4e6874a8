"""The verifier that we ship, through the whole stage, on pairs that we wrote."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from tests.integration.models.shipped_verifier import shipped_verify
from tests.verify_pairs import VerifyPair, read_pairs
from upheld.text.figures import absent, values
from upheld.types import Cause, Support, Verdict
from upheld.verification.verify_answer import verify_answer
from upheld_lab.bench.verify.figures import balanced_accuracy

# Balanced accuracy, supported against not: a little below what the shipped weights reach, 0.704.
# The pairs are meant to be hard: units, order, roles and strong paraphrase are what it misses.
FLOOR = 0.68
PUT_OFF = ("denied_outright", "taken_back", "only_alleged", "told_as_myth", "yet_to_come")


@dataclass(frozen=True, slots=True)
class Outcome:
    """A pair and what the verifier said of it."""

    pair: VerifyPair
    verdict: Verdict

    @property
    def right(self) -> bool:
        """Which of the two kinds of "not supported" it is does not count here."""
        return self.passed == (self.pair.expected is Support.SUPPORTED)

    @property
    def passed(self) -> bool:
        return self.verdict.support is Support.SUPPORTED


@pytest.fixture(scope="module")
def outcomes() -> tuple[Outcome, ...]:
    return asyncio.run(judged(read_pairs()))


async def judged(pairs: Sequence[VerifyPair]) -> tuple[Outcome, ...]:
    found: list[Outcome] = []
    async with shipped_verify() as stage:
        for pair in pairs:
            [claim] = await verify_answer(stage, pair.answer, pair.sources)
            found.append(Outcome(pair, claim.verdict))
    return tuple(found)


def test_every_pair_is_checked_to_the_end(outcomes: tuple[Outcome, ...]) -> None:
    unchecked = (Support.NOT_CHECKED, Support.NOT_CHECKWORTHY)
    assert [told(each) for each in outcomes if each.verdict.support in unchecked] == []


def test_supported_is_told_from_not_supported(outcomes: tuple[Outcome, ...]) -> None:
    assert balanced(outcomes) >= FLOOR, by_kind(outcomes)


def test_a_figure_that_no_source_has_is_never_supported(outcomes: tuple[Outcome, ...]) -> None:
    invented = [each for each in outcomes if gives_a_new_figure(each.pair)]
    assert len(invented) >= 10
    assert [told(each) for each in invented if each.passed] == []


def test_a_source_cannot_instruct_the_verifier(outcomes: tuple[Outcome, ...]) -> None:
    instructed = [each for each in outcomes if each.pair.kind == "injected_instruction"]
    assert len(instructed) >= 5
    assert [told(each) for each in instructed if each.passed] == []


def test_what_a_source_denies_alleges_or_expects_is_never_supported(
    outcomes: tuple[Outcome, ...],
) -> None:
    put_off = [each for each in outcomes if each.pair.kind in PUT_OFF]
    assert len(put_off) >= 12
    assert [told(each) for each in put_off if each.passed] == []
    assert {each.verdict.cause for each in put_off} <= {Cause.NOT_ASSERTED, Cause.NOT_ENTAILED}


def test_a_quote_needs_no_model(outcomes: tuple[Outcome, ...]) -> None:
    causes = {each.verdict.cause for each in outcomes if each.pair.kind == "verbatim_quote"}
    assert causes == {Cause.QUOTED}


def gives_a_new_figure(pair: VerifyPair) -> bool:
    return bool(absent(pair.claim, values(" ".join(each.searchable for each in pair.sources))))


def balanced(outcomes: Sequence[Outcome]) -> float:
    """Balanced accuracy, supported against not."""
    expected = [each.pair.expected is Support.SUPPORTED for each in outcomes]
    return balanced_accuracy([float(each.passed) for each in outcomes], expected, 0.5)


def by_kind(outcomes: Sequence[Outcome]) -> str:
    """A table for whoever must find out why, the worst kind first, with every miss below it."""
    kinds = {
        each.pair.kind: [o for o in outcomes if o.pair.kind == each.pair.kind] for each in outcomes
    }
    share = {kind: sum(each.right for each in some) / len(some) for kind, some in kinds.items()}
    lines = [f"balanced accuracy {balanced(outcomes):.3f}"]
    for kind in sorted(kinds, key=lambda kind: share[kind]):
        lines.append(f"{kind:24} {share[kind]:4.0%} of {len(kinds[kind])}")
        lines += [f"    {told(each)}" for each in kinds[kind] if not each.right]
    return "\n".join(lines)


def told(outcome: Outcome) -> str:
    pair, verdict = outcome.pair, outcome.verdict
    sure = "" if verdict.probability is None else f" ({verdict.probability:.2f})"
    return f"{pair.id}: {verdict.support}{sure}, not {pair.expected}: {pair.claim}"
