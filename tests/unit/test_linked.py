"""Linked: a second passage is quoted where the first one, or the question, names it."""

from __future__ import annotations

import pytest

from upheld.stages.linked import linked
from upheld.stages.quote import QuoteWriter
from upheld.trace import start_run
from upheld.types import Evidence, Hit, Passage, Question

ASKED = Question("In which town was the maker of the harbour lamp born?")
LAMP = "The harbour lamp was made by Ada Quill in 1871."
QUILL = "Ada Quill was born in Tolland."


def hit(id: str, text: str, title: str, relevance: float | None = 0.6) -> Hit:
    passage = Passage(id, text, f"d-{id}", "v", 0, len(text), title=title)
    return Hit(passage, 1.0, ASKED.text, relevance)


FIRST = hit("lamp", LAMP, "Harbour lamp")


def second(*others: Hit, question: Question = ASKED) -> str | None:
    found = linked(question, [LAMP], FIRST.passage, Evidence((FIRST, *others)))
    return None if found is None else found.id


def test_a_passage_that_the_quote_names_is_the_second_hop() -> None:
    assert second(hit("x", "Soup.", "Soup"), hit("q", QUILL, "Ada Quill")) == "q"


def test_what_tells_it_from_its_namesakes_need_not_be_named() -> None:
    assert second(hit("q", QUILL, "Ada Quill (glazier)")) == "q"


def test_a_question_that_compares_names_both() -> None:
    both = Question("Is the Harbour lamp older than the Wren Island ferry?")
    ferry = hit("f", "It sails.", "Wren Island ferry")
    assert second(ferry, question=both) == "f"


@pytest.mark.parametrize(
    "other",
    [
        hit("q", QUILL, "Ada Quill", relevance=-0.2),  # does not help
        hit("q", QUILL, "Ada Quill", relevance=None),  # nobody can say
        hit("q", QUILL, "Ada"[:2]),  # too short to mean anything
        hit("q", QUILL, "Quil"),  # part of a word
        hit("q", QUILL, ""),
        hit("q", QUILL, "Harbour Lamp"),  # the same article
    ],
)
def test_else_there_is_none(other: Hit) -> None:
    assert second(other) is None


@pytest.mark.parametrize(("one_passage", "cited"), [(True, ["lamp", "q"]), (False, ["lamp"])])
async def test_one_sentence_of_it_is_quoted(one_passage: bool, cited: list[str]) -> None:
    found = Evidence((FIRST, hit("q", f"{QUILL} She kept bees there.", "Ada Quill")))
    with start_run():
        draft = await QuoteWriter(one_passage=one_passage)(ASKED, found)
    assert [claim.citations[0].passage_id for claim in draft.claims] == cited
