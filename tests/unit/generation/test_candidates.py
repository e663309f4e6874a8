"""Which sentences can be quoted: one that announces code or a list is quoted with it."""

from __future__ import annotations

import pytest

from upheld.generation.candidates import sentences_of
from upheld.types import Passage


def texts(text: str) -> list[str]:
    passage = Passage("p", text, "d", "v", 0, len(text))
    return [" ".join(each.text.split()) for each in sentences_of([passage])]


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        (
            "To leave it, issue the following command:\n\n```\ngit bisect reset\n```\n\nIt ends.",
            "To leave it, issue the following command: ``` git bisect reset ```",
        ),
        (
            "The following sets the time zone.\n\n# dpkg-reconfigure tzdata\n\nIt asks you.",
            "The following sets the time zone. # dpkg-reconfigure tzdata",
        ),
        (
            "There are two modes:\n\n- fast: Stops at once.\n- smart: Waits.\n\nThat is all.",
            "There are two modes: - fast: Stops at once. - smart: Waits.",
        ),
    ],
)
def test_what_is_announced_belongs_to_the_sentence(text: str, whole: str) -> None:
    assert whole in texts(text)


def test_a_long_list_is_quoted_in_part() -> None:
    items = "\n".join(f"- Item number {n} of a long list of many items." for n in range(40))
    first = texts(f"There are many items:\n\n{items}")[0]
    assert first.startswith("There are many items: - Item number 0")
    assert len(first) < 500


def test_a_sentence_without_announcement_stays_alone() -> None:
    text = "It is fast.\n\nIt is smart, too."
    assert texts(text) == ["It is fast.", "It is smart, too."]


def test_what_a_passage_calls_false_is_not_quoted() -> None:
    text = "A pump must be oiled every week. That is not true: water lubricates the seals."
    assert texts(text) == ["That is not true: water lubricates the seals."]
