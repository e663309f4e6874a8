"""Rivals: documents that answer otherwise are told of, and nothing else is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from upheld.methods.by_diagnosis.conflict_detector import ConflictDetector, disagrees
from upheld.run.budget import Budget
from upheld.run.trace import start_run
from upheld.types import (
    Citation,
    Claim,
    Draft,
    Evidence,
    Hit,
    Passage,
    Question,
    Support,
    Verdict,
)
from upheld_lab.testing.fake_entailment import Fault
from upheld_lab.testing.fake_grader import FakeGrader

ASKED = Question("Who built the lighthouse of Cold Point?")
TOLLAND = "The lighthouse of Cold Point was built by Agnes Tolland."
HARROW = "John Harrow built the lighthouse of Cold Point."


def passage(id: str, text: str, title: str = "") -> Passage:
    return Passage(id, text, id, "v", 0, len(text), title=title)


def claim(source: Passage, *, support: Support = Support.SUPPORTED) -> Claim:
    mark = Citation(source.id, source.document_id, "v", 0, len(source.text), source.text)
    return Claim(source.text, (mark,), Verdict(support))


OWN = passage("own", TOLLAND)


def draft(*claims: Claim) -> Draft:
    return Draft(ASKED, claims or (claim(OWN),), Evidence((Hit(OWN, 1.0, ASKED.text),)))


def detect_conflicts(*others: Passage, grader: FakeGrader | None = None) -> ConflictDetector:
    async def search(question: Question) -> Evidence:
        return Evidence(tuple(Hit(each, 0.5, question.text) for each in (OWN, *others)))

    return ConflictDetector(search=search, grader=grader or FakeGrader())


async def conflicts(stage: ConflictDetector, of: Draft | None = None) -> list[str]:
    with start_run():
        told = await stage(of or draft())
    for each in told.conflicts:
        assert each.claim == TOLLAND
        assert each.one.quote == TOLLAND
    return [each.other.quote for each in told.conflicts]


async def test_another_document_that_answers_otherwise_is_told_of() -> None:
    text = f"Ships feared these rocks. {HARROW}"
    with start_run():
        told = await detect_conflicts(passage("other", text))(draft())
    (found,) = told.conflicts
    assert found.other.quote == text[found.other.start : found.other.end] == HARROW
    assert found.other.document_id == "other"


@pytest.mark.parametrize(
    "other",
    [
        passage("agrees", "Agnes Tolland was who built the lighthouse of Cold Point."),
        passage("both", f"{HARROW} Others say that Agnes Tolland did."),
        passage("off the point", "John Harrow kept bees."),
        passage("says nothing new", "Who built the lighthouse of Cold Point is not known."),
    ],
    ids=lambda each: each.id,
)
async def test_other_documents_are_no_rivals(other: Passage) -> None:
    assert await conflicts(detect_conflicts(other)) == []


async def test_parts_of_one_article_are_no_rivals() -> None:
    own = replace(OWN, title="Cold Point")
    whole = replace(draft(claim(own)), evidence=Evidence((Hit(own, 1.0, ASKED.text),)))
    assert (
        await conflicts(detect_conflicts(passage("part", HARROW, title="Cold Point")), whole) == []
    )
    assert await conflicts(detect_conflicts(passage("part", HARROW, title="Harrow")), whole) == [
        HARROW
    ]


async def test_what_is_not_upheld_has_no_rivals() -> None:
    fallen = draft(claim(OWN, support=Support.UNSUPPORTED))
    assert await conflicts(detect_conflicts(passage("other", HARROW)), fallen) == []


FREELY = "It was John Harrow who built the tall lighthouse that Cold Point has."


async def test_a_sentence_beside_the_point_has_no_rivals() -> None:
    beside = passage("own", "Agnes Tolland kept a diary.")
    assert await conflicts(detect_conflicts(passage("other", HARROW)), draft(claim(beside))) == []


async def test_few_passages_are_looked_into() -> None:
    grader = FakeGrader()
    others = [passage(f"o{i}", f"Keeper {i} saw the lighthouse of Harrow {i}.") for i in range(9)]
    await conflicts(detect_conflicts(*others, grader=grader))
    assert (
        sum(map(len, grader.asked)) == 1 + ConflictDetector.passages
    )  # the claim, and a sentence of each


async def test_without_a_grader_only_sentences_that_differ_in_one_value_conflict() -> None:
    stage = replace(detect_conflicts(passage("other", HARROW)), grader=None)
    assert await conflicts(stage) == [HARROW]
    freely = passage("other", "It was John Harrow whom Cold Point owes its lighthouse to.")
    assert await conflicts(replace(detect_conflicts(freely), grader=None)) == []


async def test_a_grader_that_fails_takes_nothing_away_and_is_told() -> None:
    before = draft()
    with start_run() as run:
        stage = detect_conflicts(passage("other", FREELY), grader=FakeGrader(faults=[Fault.ERROR]))
        assert await stage(before) == before
    assert any("conflicts" in label for label in run.degraded)


async def test_when_time_is_up_nobody_is_asked() -> None:
    before = draft()
    with start_run(Budget(seconds=1e-9)) as run:
        assert await detect_conflicts(passage("other", FREELY))(before) == before
    assert not run.degraded


def test_figures_count_as_names_do() -> None:
    asked = "When was the lighthouse built?"
    one, other = "It was built in 1871.", "It was built in 1869."
    assert disagrees(one, other, asked)
    assert not disagrees(one, "Since 1871 it stands.", asked)
    assert not disagrees("It was built long ago.", other, asked)
    # One of two names is shared: they may be two people. One of three is not: one is named more.
    assert disagrees("It was built by David Hale.", "It was built by David Stone.", asked)
    assert not disagrees("It was built by Ada Mary Lund.", "Its builder was Ada Lund.", asked)
    assert not disagrees(one, other, "Was the lighthouse built in 1871?")


async def test_two_quotes_that_disagree_are_one_conflict() -> None:
    one = passage("one", "The warranty of the pump is 24 months.")
    other = passage("other", "The warranty of the pump is 36 months.")
    both = replace(draft(claim(one), claim(other)), question=Question("How long is the warranty?"))
    with start_run():
        told = await detect_conflicts(one, other)(both)
    assert [(each.one.quote, each.other.quote) for each in told.conflicts] == [
        (one.text, other.text)
    ]
