"""What a question asks for, and what has it."""

from __future__ import annotations

import pytest

from upheld.text.answer_kinds import (
    AnswerKind,
    asked_kind,
    asks_for_default,
    has_kind,
    tells_default,
)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How many clients can connect at once?", AnswerKind.NUMBER),
        ("Which file holds the name of the machine?", AnswerKind.FILE),
        ("From which file size on is a file big?", AnswerKind.NUMBER),
        ("Why does the pump stop?", AnswerKind.REASON),
        ("And then, why does it start?", AnswerKind.REASON),
        ("Which command shows why it stopped?", AnswerKind.CODE),
        ("How do I empty a table?", AnswerKind.CODE),
        ("Which shutdown mode does it use?", AnswerKind.CODE),
        ("When was the bridge built?", AnswerKind.TIME),
        ("How long does it wait?", AnswerKind.DURATION),
        ("Who built the bridge?", AnswerKind.NAME),
        ("Is it safe?", None),
    ],
)
def test_the_kind_of_a_question(question: str, kind: AnswerKind | None) -> None:
    assert asked_kind(question) is kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The default is three.", AnswerKind.NUMBER),
        ("It is kept in ~/.pgpass.", AnswerKind.FILE),
        ("Use --no-verify.", AnswerKind.CODE),
        ("It was opened in 1881.", AnswerKind.TIME),
        ("The ferry leaves at nine.", AnswerKind.TIME),
        ("It opens at 9:30 on Sundays.", AnswerKind.TIME),
        ("The crossing takes 35 minutes.", AnswerKind.DURATION),
        ("It was built by Agnes Tolliver.", AnswerKind.NAME),
        ("The pump stops because the valve is shut.", AnswerKind.REASON),
    ],
)
def test_what_a_text_has(text: str, kind: AnswerKind) -> None:
    assert has_kind(text, kind)
    assert not has_kind("It is what it is.", kind)


def test_defaults() -> None:
    assert asks_for_default("How much memory does it use out of the box?")
    assert not asks_for_default("How much memory does it use?")
    assert tells_default("The default is typically 128 megabytes.")
    assert not tells_default("Sets the amount of memory.")
