"""Statements are held against passages in one batch; what is too long is read in windows."""

from __future__ import annotations

from tests.unit.graded_answers import passage
from upheld_lab.bench.scores.entails import EntailsBy, Held, as_passage
from upheld_lab.testing.fake_entailment import FakeEntailment

OWLS = passage("owls", "Owls hunt at night.", title="Birds")
BATS = passage("bats", "Bats sleep in caves.")
LONG = passage("long", " ".join([*["Nothing of note stands here."] * 60, "Owls hunt at night."]))


async def test_one_batch_for_all_and_each_pair_once() -> None:
    model = FakeEntailment()
    right, wrong = Held("Owls hunt.", (OWLS,)), Held("Owls sleep.", (OWLS,))
    both = Held("Owls hunt, bats sleep.", (OWLS, BATS))
    assert await EntailsBy(model)([right, wrong, both, right]) == {right, both}
    (asked,) = model.asked
    assert [pair.premise for pair in asked] == [
        "Birds\nOwls hunt at night.",
        "Birds\nOwls hunt at night.",
        "Birds\nOwls hunt at night.\n\nBats sleep in caves.",
    ]


async def test_nothing_to_ask_asks_nothing() -> None:
    model = FakeEntailment()
    assert await EntailsBy(model)([Held("Owls hunt.", ())]) == frozenset()
    assert model.asked == []


async def test_a_long_passage_is_read_in_windows() -> None:
    model = FakeEntailment()  # 253 words at a time; the passage has 304
    held, not_there = Held("Owls hunt.", (LONG,)), Held("Bats sleep.", (LONG,))
    assert await EntailsBy(model)([held, not_there]) == {held}


async def test_long_passages_are_read_together_too() -> None:
    """No window has both halves of the claim; the closest sentences of both passages have."""
    other = passage("other", LONG.text.replace("Owls hunt at night", "Bats sleep in caves"))
    both, one = Held("Owls hunt, bats sleep.", (LONG, other)), Held("Owls hunt.", (LONG, other))
    assert await EntailsBy(FakeEntailment())([both, one]) == {both, one}
    assert await EntailsBy(FakeEntailment())([Held(both.claim, (LONG,))]) == frozenset()


async def test_a_claim_that_leaves_no_room_is_not_entailed() -> None:
    model = FakeEntailment()
    assert await EntailsBy(model)([Held("owls " * 240, (OWLS,))]) == frozenset()
    assert model.asked == []


def test_a_bare_text_becomes_a_passage_without_title() -> None:
    assert as_passage("Owls hunt.").searchable == "Owls hunt."
