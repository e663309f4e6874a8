"""Long runs of combining marks are broken as Unicode says, and nothing else is."""

from __future__ import annotations

import unicodedata

from upheld.patterns import stream_safe


def test_a_run_of_marks_is_broken_after_every_thirty() -> None:
    broken = stream_safe("a" + "\u0300" * 70 + "b")
    assert broken == "a" + ("\u0300" * 30 + "\u034f") * 2 + "\u0300" * 10 + "b"


def test_runs_of_other_characters_and_short_ones_stay() -> None:
    vietnamese = unicodedata.normalize("NFD", "Tiếng Việt")
    for text in ("—" * 100, "👩‍👩‍👧‍👦" * 20, vietnamese * 20, "a" + "\u0300" * 30, "plain", ""):
        assert stream_safe(text) == text
