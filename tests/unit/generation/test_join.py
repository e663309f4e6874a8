from __future__ import annotations

from dataclasses import replace

from tests.unit.drafts import ASK, claim, draft
from upheld.generation.join import join
from upheld.types import Draft, Question

SUB = Question("Which whale?", parent=ASK.id)


def test_claims_follow_in_order_and_the_same_words_come_once() -> None:
    one, two, again = claim("One."), claim("Two."), claim("one")
    joined = join(ASK, [draft(one, two, question=SUB), draft(again, claim("Three."), question=SUB)])
    assert joined.question == ASK
    assert [each.text for each in joined.claims] == ["One.", "Two.", "Three."]


def test_what_every_answer_was_shown_is_evidence_once() -> None:
    some, more = draft(claim("One."), names=("museum", "whale")), draft(names=("whale", "entry"))
    documents = [each.document_id for each in join(ASK, [some, more]).evidence.passages]
    assert documents == ["museum", "whale", "entry"]


def test_notes_of_an_answer_that_is_left_out_are_left_out() -> None:
    said = replace(draft(claim("One.")), notes=("a mark is unknown",))
    silent = replace(draft(), notes=("there was nothing to write from",))
    assert join(ASK, [said, silent, said]).notes == ("a mark is unknown",)


def test_nothing_joined_is_an_empty_draft() -> None:
    assert join(ASK, []) == Draft(ASK)
