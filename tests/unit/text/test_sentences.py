from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from upheld.text.sentences import block_spans, sentence_spans, sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. Smith paid $3.50 to J. R. Ewing. He left.", 2),
        ("The U.S. economy grew 2.5 percent. It did.", 2),
        ("It broke\nover lines. And again\nhere.", ["It broke\nover lines.", "And again\nhere."]),
        ("# A heading\nText under it.", ["# A heading", "Text under it."]),
        ("- one item\n- another item\n1. a third", ["- one item", "- another item", "1. a third"]),
        ("| a | b |\n|---|---|\n| c | d |", ["a | b", "---|---", "c | d"]),
        (
            "| A: 1. B; No. C |\n| D: e. F? G. |\n\nIt is. So is this.",
            ["A: 1. B; No. C", "D: e. F? G.", "It is.", "So is this."],
        ),
        ("It is 15 m. The pump is blue.", ["It is 15 m.", "The pump is blue."]),
        ("It needs 750 W. Fuses of 5 A. (They are sold.)", 3),
        ("Of 1500 W. The rest is lost.", 2),
        ("In 1961 J. F. Kennedy and R. Frost spoke.", 1),
        ("In 1961 J. Kennedy spoke.", 1),
        ("日本語です。二つ目！はい。", ["日本語です。", "二つ目！", "はい。"]),
        ("No end\n\nNew block", ["No end", "New block"]),
        ("", []),
        (" \n\t ", []),
    ],
)
def test_sentences_end_where_a_reader_would_say(text: str, expected: list[str] | int) -> None:
    found = sentences(text)
    assert len(found) == expected if isinstance(expected, int) else found == expected


def test_cuts_are_borders_of_blocks() -> None:
    text = "one two three"
    assert [text[a:b] for a, b in block_spans(text, [4])] == ["one", "two three"]


@given(st.text(max_size=300))
def test_spans_are_ordered_trimmed_and_lose_nothing(text: str) -> None:
    spans = sentence_spans(text)
    found = [text[start:end] for start, end in spans]
    assert all(each and each == each.strip() for each in found)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    # The bars around a row of a table are no part of its sentence.
    assert "".join("".join(found).replace("|", "").split()) == "".join(
        text.replace("|", "").split()
    )
