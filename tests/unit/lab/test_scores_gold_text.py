"""Whether a text contains the value or the quotes that people marked, and where."""

from __future__ import annotations

import pytest

from tests.unit.graded_answers import answer, claim
from upheld.types import Answer
from upheld_lab.bench.runs.judging import right_wordings
from upheld_lab.bench.runs.records import Outcome, Scores
from upheld_lab.bench.scores.all_scores import score
from upheld_lab.bench.scores.gold_text import contains_gold, gold_text_scores
from upheld_lab.bench.suites.suite import Asked, GoldText

LIFTS = "The winch lifts 40 kg."
RESTS = "It must rest for five minutes."
BRAKE = "The brake holds when the power fails."
VALUE = GoldText(("40 kg", "-n"), ((f"{RESTS} {LIFTS}",),))
QUOTE = GoldText((), ((f"{LIFTS} {RESTS}", BRAKE),))
BOTH = GoldText((), ((LIFTS,), (BRAKE,)))
YES = GoldText((), ((BRAKE,),), yes=True)


@pytest.mark.parametrize(
    ("text", "gold", "right"),
    [
        ("At most 40\n kg are lifted.", VALUE, True),
        ("Call `winch` with `-N`.", VALUE, True),
        ("Call winch with n.", VALUE, False),  # punctuation counts in a manual
        ("It lifts 140 kg.", VALUE, False),
        ("It lifts 40 kgf.", VALUE, False),
        (f"{LIFTS} Other words. {RESTS}", QUOTE, True),
        ("the winch lifts 40 kg, it must rest for five minutes", QUOTE, True),
        (BRAKE, QUOTE, True),  # another place that says it
        (LIFTS, QUOTE, False),  # half of the quote
        (f"{BRAKE} {LIFTS}", BOTH, True),
        (BRAKE, BOTH, False),
        (BRAKE, YES, True),
        ("Yes, it stops at once.", YES, True),
        (f"No. {BRAKE}", YES, False),  # the direction counts
        ("It stops.", YES, False),
        ("", QUOTE, False),
        ("", GoldText((" ",)), False),
    ],
)
def test_what_is_right(text: str, gold: GoldText, right: bool) -> None:
    assert contains_gold(text, gold) is right


@pytest.mark.parametrize(
    ("text", "gold", "first"),
    [
        (f"{LIFTS} {RESTS}", VALUE, 1),
        (f"{RESTS} {LIFTS}", VALUE, 0),  # it only leads up to the value
        (f"{RESTS} {LIFTS}", QUOTE, 1),
        (f"Other words. {LIFTS} {RESTS}", QUOTE, 0),
        (f"{BRAKE} Other words.", BOTH, 1),
        (f"Yes, it does. {LIFTS}", YES, 1),
        (f"No. {BRAKE}", YES, 0),
        ("", QUOTE, 0),
    ],
)
def test_whether_the_right_sentence_comes_first(text: str, gold: GoldText, first: int) -> None:
    assert gold_text_scores(text, gold)["first_correct"] == first


def test_sentences_are_counted_where_some_are_shown() -> None:
    assert gold_text_scores(f"{LIFTS} {RESTS}", QUOTE)["sentences"] == 2
    assert gold_text_scores("", QUOTE)["sentences"] is None
    assert set(gold_text_scores(LIFTS, None).values()) == {None}


async def scored(asked: Asked, made: Answer) -> Scores:
    return await score(asked, Outcome(asked.id, "rag", made, None, 1.0))


async def test_right_wrong_and_refused_of_a_question_with_gold_text() -> None:
    asked = Asked("manuals/1", "manuals", "How much?", answerable=True, gold_text=VALUE)
    names = ("correct", "wrong", "abstained", "first_correct", "sentences")
    for made, wanted in (
        (answer(claim(RESTS), claim(LIFTS)), [1, 0, 0, 0, 2]),
        (answer(claim(BRAKE)), [0, 1, 0, 0, 1]),
        (answer(), [0, 0, 1, 0, None]),
    ):
        scores = await scored(asked, made)
        assert [scores[name] for name in names] == wanted
    nobody = Asked("manuals/2", "manuals", "How much?", answerable=False)
    scores = await scored(nobody, answer(claim(LIFTS)))
    assert [scores[name] for name in names] == [None, 1, 0, None, None]


def test_a_judge_is_told_the_reference() -> None:
    gold = GoldText(("40 kg",), reference="At most 40 kg.")
    asked = Asked("manuals/1", "manuals", "How much?", answerable=True, gold_text=gold)
    assert right_wordings(asked) == ("At most 40 kg.",)
