from __future__ import annotations

import pytest

from upheld.errors import ReadError
from upheld.ingest.read import read
from upheld.ingest.read.document import canonical, one_line

GERMAN = "Die Straße führt über die Brücke. Grüße aus Köln! " * 20
RUSSIAN = "Съешь ещё этих мягких французских булок, да выпей же чаю. " * 20
JAPANESE = "日本語の文章です。これは二つ目の文です。漢字とかなが混ざっています。" * 20


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (GERMAN, "utf-8"),
        (GERMAN, "utf-8-sig"),
        (GERMAN, "utf-16"),
        (GERMAN, "utf-32"),
        (GERMAN, "cp1252"),
        (RUSSIAN, "utf-8"),
        (RUSSIAN, "cp1251"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "utf-16"),
    ],
)
def test_text_is_read_in_its_encoding(text: str, encoding: str) -> None:
    assert read(text.encode(encoding), "a.txt").text == text


def test_lines_end_in_one_way_and_controls_go() -> None:
    assert canonical("a\r\nb\rc\u2028d\x0ce\x00f\ufeff") == "a\nb\nc\nd\ne f\ufeff"


def test_canonical_text_is_composed_but_says_the_same() -> None:
    assert canonical("cafe\u0301 x² ﬁ") == "café x² ﬁ"


def test_lone_surrogates_are_replaced() -> None:
    assert canonical("a\ud800b") == "a\ufffdb"
    canonical("a\ud800b").encode()


def test_canonical_text_stays_as_it_is() -> None:
    text = canonical("\ufeffx\r\n\x1fy\u0301 한국어 \U0001f600")
    assert canonical(text) == text


def test_a_title_is_one_line_of_bounded_length() -> None:
    assert one_line(" Two\n lines ") == "Two lines"
    assert one_line("x" * 500) == "x" * 149 + "…"


def test_a_binary_file_is_not_text() -> None:
    with pytest.raises(ReadError, match=r"photo\.txt is not text"):
        read(bytes(range(32)) * 100, "photo.txt")


def test_an_empty_file_is_reported() -> None:
    with pytest.raises(ReadError, match="has no text"):
        read(b" \n ", "empty.txt")
