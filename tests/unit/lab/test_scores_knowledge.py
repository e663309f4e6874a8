"""Claim recall, effective knowledge coverage and cost, worked by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.unit.graded_answers import A, B, answer, claim, entails_if, passage
from upheld.types import Usage
from upheld_lab.bench.scores.cost import Prices, cached_share, cost
from upheld_lab.bench.scores.entails import Entails
from upheld_lab.bench.scores.knowledge_coverage import (
    Step,
    claim_recall,
    coverage,
    coverage_to_ask,
    effective_coverage,
    steps_of,
)

YES, NO = True, False


async def known_well(facts: Sequence[str], steps: Sequence[Step], entails: Entails) -> float | None:
    return coverage(facts, steps, await entails(coverage_to_ask(facts, steps)))


def test_claim_recall_is_the_share_of_facts_that_are_told() -> None:
    assert claim_recall([YES, NO, YES, NO]) == 0.5
    assert claim_recall([]) is None


def test_a_fact_counts_where_one_step_both_found_and_told_it() -> None:
    """Four facts, two steps. Found: {1, 2} and {3, 4}. Told: {1} and {2, 3}. The first step has 1
    in both, the second 3; fact 2 was found by one step and told by the other. So 2 of 4."""
    found = [[YES, YES, NO, NO], [NO, NO, YES, YES]]
    told = [[YES, NO, NO, NO], [NO, YES, YES, NO]]
    assert effective_coverage(found, told, 4) == 0.5


def test_the_same_fact_in_two_steps_counts_once() -> None:
    assert effective_coverage([[YES, NO]] * 2, [[YES, NO]] * 2, 2) == 0.5
    assert effective_coverage([], [], 2) == 0
    assert effective_coverage([], [], 0) is None


async def test_coverage_by_entailment() -> None:
    """Document a has fact 1, b has fact 2; "Owls." tells both. Owls cites a, so fact 1 is found and
    told; nothing that cites b tells fact 2."""

    def rule(fact: str, ids: set[str]) -> bool:
        return ids == {""} or (fact, ids) in [("1", {"a"}), ("2", {"b"})]

    steps = (Step((A,), "Owls."), Step((), "Bats."))
    assert await known_well(("1", "2"), steps, entails_if(rule)) == 0.5
    assert await known_well(("1", "2"), (), entails_if(rule)) == 0
    assert await known_well((), steps, entails_if(rule)) is None


def test_the_steps_of_an_answer_are_its_claims_with_what_they_cite() -> None:
    found = answer(claim("Owls.", A, B, A), claim("Bats.", passage("nowhere")))
    assert steps_of(found) == (Step((A, B), "Owls."), Step((), "Bats."))


def test_cost_by_a_price_table() -> None:
    """1,000,000 prompt tokens, of which 400,000 were cached, and 50,000 written:
    0.6 x 2 + 0.4 x 0.5 + 0.05 x 10 = 1.2 + 0.2 + 0.5."""
    usage = Usage(prompt_tokens=1_000_000, cached_tokens=400_000, completion_tokens=50_000)
    assert cost(usage, Prices(prompt=2, cached_prompt=0.5, completion=10)) == pytest.approx(1.9)
    assert cached_share(usage) == pytest.approx(0.4)
    assert cached_share(Usage()) is None
