"""CoV-RAG's figures of its own chain: one question at a time, reckoned by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.graded_answers import passage
from upheld.verification.chain import Judgment
from upheld_lab.bench.runs.records import Verified
from upheld_lab.bench.scores.by_chain import chain_scores, has_answer
from upheld_lab.bench.suites.suite import Asked

WHEN = Asked("q/1", "q", "When did the museum open?", ("1881",), gold=frozenset({"plaque"}))
OPEN = passage("hours", "The museum is open on Mondays.")
YEAR = passage("guide", "The gallery was inaugurated in 1881.")
GOLD = passage("plaque", "It opened in the year that the plaque tells.")
TRUE, FALSE = Judgment.TRUE, Judgment.FALSE
RIGHT, WRONG = "In 1881.", "On Mondays."
ANEW = "In which year was the gallery inaugurated?"


def scored(verified: Verified | None, asked: Asked = WHEN) -> list[float | None]:
    """Judgement, revision, format, reference delta."""
    return [*chain_scores(asked, verified).values()]


@pytest.mark.parametrize(
    ("verified", "scores"),
    [
        (Verified(TRUE, RIGHT, (YEAR,)), [1, 1, 1, 0]),
        # wrong, from references without the answer; the new question finds it: by its words, ...
        (Verified(FALSE, WRONG, (OPEN,), ANEW, (OPEN, YEAR)), [1, 1, 1, 1]),
        # ... or since people marked the passage
        (Verified(FALSE, WRONG, (OPEN,), ANEW, (GOLD,)), [1, 1, 1, 1]),
        # asked anew in vain: another passage without the answer, or no passage at all
        (Verified(FALSE, WRONG, (OPEN,), ANEW, (OPEN,)), [1, 0, 1, 0]),
        (Verified(FALSE, WRONG, (OPEN,), ANEW), [1, 0, 1, 0]),
        # wrong, and not asked anew
        (Verified(TRUE, WRONG, (OPEN,)), [0, 0, 1, 0]),
        # the answer stood in the references: to ask anew was no remedy, and lost them
        (Verified(FALSE, WRONG, (YEAR,), ANEW, (OPEN,)), [1, 0, 1, -1]),
        (Verified(FALSE, WRONG, (YEAR,)), [1, 1, 1, 0]),
        # a new question that finds nothing leaves the method with what it had
        (Verified(FALSE, WRONG, (YEAR,), ANEW), [1, 0, 1, 0]),
        (Verified(Judgment.UNCLEAR, RIGHT, (YEAR,)), [0, 1, 1, 0]),
        # a reply that could not be read judged nothing, and nothing was asked anew
        (Verified(None, RIGHT, (YEAR,)), [0, 1, 0, 0]),
        (None, [None] * 4),
    ],
)
def test_each_way_that_a_chain_can_go(
    verified: Verified | None, scores: list[float | None]
) -> None:
    assert scored(verified) == scores


def test_without_a_reference_there_is_no_score() -> None:
    verified = Verified(FALSE, WRONG, (OPEN,), ANEW, (YEAR,))
    unmarked = Asked("own/1", "own", "When?")
    assert scored(verified, unmarked) == [None, None, 1, None]
    nothing = replace(WHEN, answers=(), gold=frozenset(), answerable=False)
    assert scored(verified, nothing) == [None, None, 1, None]
    # Yes or no can be judged, but no passage has it; unless people marked one.
    yes = Asked("own/1", "own", "Is it open?", ("yes",), yes=True)
    assert scored(replace(verified, answer="Yes, it is."), yes) == [0, None, 1, None]
    assert has_answer(replace(yes, gold=frozenset({"plaque"})), (OPEN, GOLD)) is True


def test_one_part_of_a_list_is_an_answer() -> None:
    parts = Asked("own/1", "own", "When?", parts=(("1874",), ("1881", "eighteen eighty-one")))
    assert has_answer(parts, (OPEN, YEAR)) is True
    assert has_answer(parts, (OPEN,)) is False


def test_gold_may_be_named_by_its_document() -> None:
    strip = replace(GOLD, id="plaque/2")
    assert has_answer(replace(WHEN, answers=()), (strip,)) is True
