"""The loop of `upheld label`: one claim a question, blind, recorded at once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from upheld.calibration.labelled import LabelledClaim
from upheld.cli import label as command
from upheld.types import Answer, Citation, Claim, Passage, Status, Support, Verdict

TEXT = "The tower is old. It opens at nine. Dogs stay outside."
PASSAGE = Passage("p1", TEXT, "d1", "v1", 100, 100 + len(TEXT), title="The tower")


def cited(quote: str, passage: str = "p1") -> Citation:
    start = 100 + max(TEXT.find(quote), 0)
    return Citation(passage, "d1", "v1", start, start + len(quote), quote)


def answer(question: str) -> Answer:
    verdict = Verdict(
        Support.CONTRADICTED,
        0.123,
        evidence_for=(cited("It opens at nine."),),
        evidence_against=(cited("Opens at ten, says another.", "p2"),),
        checked_by="model:1",
        reason="a source says otherwise",
    )
    claim = Claim("It opens at nine daily.", (cited("It opens at nine."),), verdict)
    claims = () if "unchecked" in question else (claim, Claim("Not checked."))
    return Answer(
        f"id {question}",
        question,
        Status.ANSWERED,
        "rag",
        "…",
        claims,
        (PASSAGE,),
        pipeline="rag | s | model:1",
        degraded=("the server is down",) if "down" in question else (),
    )


class Said:
    def __init__(self, *said: str) -> None:
        self.left: Iterator[str] = iter(said)

    def __call__(self, prompt: str) -> str:
        try:
            return next(self.left)
        except StopIteration:
            raise EOFError from None


def labelled(questions: list[str], *said: str, limit: int | None = None) -> list[LabelledClaim]:
    made: list[LabelledClaim] = []
    count = command.label_claims(
        questions,
        ask=answer,
        read=Said(*said),
        record=made.append,
        who="ann",
        limit=limit,
    )
    assert count == len(made)
    return made


def test_yes_no_skip_and_quit() -> None:
    made = labelled(["a?", "b?", "c?", "d?", "e?"], "y", "what", "", " No", "s", "q")
    assert [(each.question, each.supported) for each in made] == [("a?", True), ("b?", False)]


def test_everything_about_the_claim_is_recorded() -> None:
    [made] = labelled(["a?"], "n")
    assert made.claim == "It opens at nine daily."
    assert made.answer == "id a?"
    assert (made.score, made.verdict) == (0.123, Support.CONTRADICTED)
    assert made.evidence == ("Opens at ten, says another.", "It opens at nine.")
    assert (made.pipeline, made.who) == ("rag | s | model:1", "ann")


def test_the_end_of_the_input_the_limit_and_unchecked_answers() -> None:
    assert len(labelled(["a?", "b?"], "y")) == 1
    assert len(labelled(["a?", "b?", "c?"], "y", "y", "y", limit=2)) == 2
    assert [each.question for each in labelled(["unchecked?", "b?"], "y")] == ["b?"]


def test_answers_that_get_no_guarantee_are_not_labelled(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert [each.question for each in labelled(["down?", "b?"], "y")] == ["b?"]
    assert "left out: down? (the server is down)" in capsys.readouterr().out


def test_the_person_sees_the_evidence_but_not_what_the_verifier_thinks(
    capsys: pytest.CaptureFixture[str],
) -> None:
    labelled(["a?"], "q")
    shown = capsys.readouterr().out
    for told in ("a?", "It opens at nine daily.", "The tower", TEXT, "Opens at ten, says another."):
        assert told in shown
    for hint in ("0.12", "contradicted", "otherwise", "✗", "≠"):
        assert hint not in shown
