"""Long texts are worked through in parts, and long runs of combining marks are broken."""

from __future__ import annotations

import re
import unicodedata
from typing import get_args

from upheld.text.patterns import LONGEST_PART, Form, found, normalized, replaced, stream_safe


def test_a_run_of_marks_is_broken_after_every_thirty() -> None:
    broken = stream_safe("a" + "\u0300" * 70 + "b")
    assert broken == "a" + ("\u0300" * 30 + "\u034f") * 2 + "\u0300" * 10 + "b"


def test_runs_of_other_characters_and_short_ones_stay() -> None:
    vietnamese = unicodedata.normalize("NFD", "Tiếng Việt")
    for text in ("—" * 100, "👩‍👩‍👧‍👦" * 20, vietnamese * 20, "a" + "\u0300" * 30, "plain", ""):
        assert stream_safe(text) == text


def test_a_long_text_has_the_words_that_its_parts_have() -> None:
    assert found(re.compile(r"\w+"), "one two " * LONGEST_PART) == ["one", "two"] * LONGEST_PART


def test_a_long_text_is_replaced_in_as_a_short_one() -> None:
    pattern = re.compile("a(?=b)|c+")
    for text in ("ab ac cc", "x" * (LONGEST_PART - 1) + "abccc" + "ab" * 3 * LONGEST_PART, ""):
        made = replaced(pattern, text, lambda found: f"<{found}>")
        assert made == pattern.sub(r"<\g<0>>", text)


def test_a_long_text_is_normalised_as_at_once() -> None:
    words = "e\u0323\u0301 \ufb01n \u1100\u1161\u11a8 \u00c5ngstro\u0308m \u4e2d "
    for form in get_args(Form):
        for text in (words * 3_000, words.replace(" ", "") * 3_000):
            assert normalized(form, text) == unicodedata.normalize(form, text)


def test_no_long_run_of_marks_is_left_in_a_long_text() -> None:
    made = stream_safe("a" + "\u0300" * 5 * LONGEST_PART)
    assert made.count("\u0300") == 5 * LONGEST_PART
    assert max(map(len, made.split("\u034f"))) <= 2 * 30 + 1
