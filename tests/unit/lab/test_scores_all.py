"""All scores of an outcome together: which apply, and that each is of the right part of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.graded_answers import answer, cite, claim, passage
from upheld.ports import Judgement
from upheld.types import Answer, Conflict, Support, Usage
from upheld_lab.bench.runs.records import Outcome, Scores
from upheld_lab.bench.scores.all_scores import score
from upheld_lab.bench.scores.cost import Prices
from upheld_lab.bench.suites.suite import Asked
from upheld_lab.testing.fake_entailment import FakeEntailment

OWLS = passage("owls", "Owls hunt at night.")
BATS = passage("bats", "Bats sleep in caves.")
GOOD = claim("Owls hunt at night.", OWLS, support=Support.SUPPORTED, probability=0.9, relevance=0.5)
LOOSE = claim("Bats hunt by day.", BATS, support=Support.UNSUPPORTED, probability=0.1)
MIXED = answer(GOOD, LOOSE, sources=(OWLS, BATS), usage=Usage(2, 3, 100, 40, 10))
WHEN = Asked(
    "set/1",
    "set",
    "When do owls hunt?",
    answers=("at night",),
    gold=frozenset({"owls"}),
    answerable=True,
    false_answers=("by day",),
)

NAMES = {
    *(
        "answered",
        "shown",
        "correct",
        "answer_words",
        "first_correct",
        "sentences",
        "em",
        "f1",
        "short_f1",
        "str_em",
        "list_precision",
        "list_recall5",
    ),
    *("yes_right", "claim_recall", "gold_precision", "gold_recall", "gold_f1", "confidence"),
    *("wrong", "wrong_if_shown", "abstained", "should_abstain", "conflict", "falsehood"),
    "doubtful",
    *("gold_in_top20", "knowledge", "requests", "completions", "prompt_tokens"),
    *("completion_tokens", "cached_share", "seconds", "cost"),
    *("chain_judgement", "chain_revision", "chain_format", "chain_reference_delta"),
    *(
        f"{mode}_{what}{by}"
        for mode in ("alce", "strict")
        for what in ("recall", "precision")
        for by in ("", "_by_verifier")
    ),
}


def outcome(made: Answer | None, variant: str = "upheld", **other: object) -> Outcome:
    error = None if made else "LLMError: down"
    plain = Outcome("set/1", variant, made, error, 1.5, found=("bats", "owls"))
    return replace(plain, **other)  # type: ignore[arg-type]


def picked(scores: Scores, *names: str) -> list[float | None]:
    return [scores[name] for name in names]


async def test_every_name_is_there_whatever_is_known() -> None:
    for asked in (WHEN, Asked("own/1", "own", "When do owls hunt?")):
        for made in (MIXED, None):
            scores = await score(asked, outcome(made))
            assert scores.keys() == NAMES


async def test_upheld_is_scored_by_what_it_shows_and_rag_by_all() -> None:
    ours, plain = await score(WHEN, outcome(MIXED)), await score(WHEN, outcome(MIXED, "rag"))
    # shown by upheld: "owls hunt at night", 4 words of which 2 are wanted: F1 2 x 2 / (4 + 2)
    assert picked(ours, "correct", "em", "f1") == [1, 0, pytest.approx(2 / 3)]
    # by rag four words more: 2 x 2 / (8 + 2)
    assert picked(plain, "correct", "em", "f1") == [1, 0, pytest.approx(0.4)]
    names = ("gold_precision", "gold_recall", "gold_f1", "gold_in_top20", "falsehood", "confidence")
    assert picked(ours, *names) == [1, 1, 1, 1, 0, 0.45]
    assert picked(plain, *names) == [0.5, 1, pytest.approx(2 / 3), 1, 1, 1]
    shown = ("answered", "shown", "wrong", "wrong_if_shown", "abstained", "should_abstain")
    assert picked(ours, *shown) == picked(plain, *shown) == [1, 1, 0, 0, 0, 0]


async def test_the_short_answer_is_scored_by_itself() -> None:
    at_night = replace(MIXED.claims[0], text="At night: Owls hunt at night.")
    short = replace(MIXED, claims=(at_night,))
    found = await score(WHEN, outcome(short, "rag"))
    assert picked(found, "f1", "short_f1") == [pytest.approx(0.5), 1]
    assert (await score(WHEN, outcome(MIXED)))["short_f1"] == pytest.approx(2 / 3)


async def test_the_length_of_an_answer_is_that_of_what_is_shown() -> None:
    shown = await score(WHEN, outcome(MIXED)), await score(WHEN, outcome(MIXED, "rag"))
    assert [each["answer_words"] for each in shown] == [4, 8]
    for silent in (None, answer(text="Nothing is said of it."), answer(LOOSE, sources=(BATS,))):
        assert (await score(WHEN, outcome(silent)))["answer_words"] is None


async def test_wrong_is_what_is_shown_and_wrong() -> None:
    names = ("shown", "wrong", "wrong_if_shown", "correct", "abstained")
    loose = answer(LOOSE)
    assert picked(await score(WHEN, outcome(loose)), *names) == [0, 0, 1, 0, 1]
    assert picked(await score(WHEN, outcome(loose, "rag")), *names) == [1, 1, 1, 0, 0]
    never = replace(WHEN, answers=(), gold=frozenset(), answerable=False)
    told = await score(never, outcome(MIXED))
    assert picked(told, *names, "should_abstain", "gold_f1") == [1, 1, 1, None, 0, 1, None]
    marked = Asked("own/1", "own", "When?")  # nobody knows what is right
    assert picked(await score(marked, outcome(MIXED)), *names) == [1, None, None, None, 0]


async def test_a_conflict_is_a_warning() -> None:
    warned = replace(MIXED, conflicts=(Conflict("Owls hunt.", *cite(OWLS, BATS)),))
    wrong = replace(WHEN, answers=("by noon",), false_answers=("at night",))
    names = ("conflict", "shown", "wrong", "falsehood")
    assert picked(await score(wrong, outcome(warned)), *names) == [1, 0, 0, 0]
    assert picked(await score(wrong, outcome(MIXED)), *names) == [0, 1, 1, 1]


async def test_yes_and_no() -> None:
    asked = replace(WHEN, answers=(), yes=True, false_answers=())
    names = ("yes_right", "correct", "wrong", "falsehood")
    for text, scores in (
        ("Yes, owls do.", [1, None, 0, None]),
        ("No, owls do not.", [0, None, 1, None]),
        ("Owls hunt at night.", [0, None, 1, None]),
    ):
        told = answer(claim(text, OWLS))
        assert picked(await score(asked, outcome(told, "rag")), *names) == scores


async def test_parts_of_a_list() -> None:
    asked = replace(WHEN, answers=(), parts=(("owls",), ("bats",), ("cats",)))
    # rag names two of three in two claims; upheld shows the first alone
    names = ("str_em", "list_recall5", "list_precision", "correct")
    plain = await score(asked, outcome(MIXED, "rag"))
    assert picked(plain, *names) == [pytest.approx(2 / 3), pytest.approx(2 / 3), 1, None]
    ours = await score(asked, outcome(MIXED))
    assert picked(ours, *names, "wrong") == [pytest.approx(1 / 3), pytest.approx(1 / 3), 1, None, 0]


async def test_bare_items_of_a_list_are_held_with_the_question() -> None:
    model = FakeEntailment()
    asked = replace(WHEN, parts=(("owls",),))
    await score(asked, outcome(answer(claim("Owls", OWLS), sources=(OWLS,))), scorer=model)
    assert {pair.claim for pair in model.asked[0]} == {"When do owls hunt? Owls"}


async def test_models_score_the_whole_answer_in_one_batch_each() -> None:
    """Owls is entailed by what it cites, Bats is not: 1 of 2 sentences, 1 of 2 citations. Of two
    facts the first is told and found; the second is neither."""
    asked = replace(WHEN, facts=("Owls hunt.", "Cats purr."))
    scorer, sure = FakeEntailment(), FakeEntailment(always=Judgement(0.9, 0.05, 0.05))
    scores = await score(asked, outcome(MIXED), scorer=scorer, verifier=sure)
    cited = ("alce_recall", "alce_precision", "strict_recall", "strict_precision")
    assert picked(scores, *cited) == [0.5] * 4
    assert picked(scores, *(f"{name}_by_verifier" for name in cited)) == [1] * 4
    assert picked(scores, "claim_recall", "knowledge") == [0.5, 0.5]
    assert len(scorer.asked) == len(sure.asked) == 1
    assert all("purr" not in pair.claim for pair in sure.asked[0])  # facts are the scorer's


async def test_without_models_nothing_is_made_up() -> None:
    scores = await score(replace(WHEN, facts=("Owls hunt.",)), outcome(MIXED))
    by_model = [name for name in NAMES if "alce" in name or "strict" in name]
    assert picked(scores, *by_model, "claim_recall", "knowledge") == [None] * 10


async def test_an_error_scores_nothing_and_is_no_abstention() -> None:
    scores = await score(WHEN, outcome(None), scorer=FakeEntailment())
    names = ("answered", "shown", "correct", "gold_f1", "wrong", "abstained", "alce_recall")
    assert picked(scores, *names) == [0] * 7
    assert picked(scores, "confidence", "completions", "cost", "seconds") == [None, None, None, 1.5]
    abstained = await score(WHEN, outcome(answer(text="Nothing is said of it.")))
    assert picked(abstained, "answered", "abstained", "confidence") == [0, 1, None]


async def test_an_empty_text_is_left_out_as_published_and_is_0_in_strict_mode() -> None:
    scores = await score(WHEN, outcome(answer()), scorer=FakeEntailment())
    assert picked(scores, "alce_recall", "alce_precision") == [None, None]
    assert picked(scores, "strict_recall", "strict_precision") == [0, 0]


async def test_what_it_cost() -> None:
    # 60 x 1 + 40 x 0.5 + 10 x 2 = 100 for a million tokens each
    scores = await score(WHEN, outcome(MIXED), prices=Prices(1, 0.5, 2))
    names = ("requests", "completions", "prompt_tokens", "completion_tokens", "cached_share")
    assert picked(scores, *names) == [2, 3, 100, 10, 0.4]
    assert scores["cost"] == pytest.approx(100e-6)
    resumed = await score(WHEN, outcome(MIXED, untimed=True))
    assert picked(resumed, "seconds", "cost", "completions") == [None, None, 3]
