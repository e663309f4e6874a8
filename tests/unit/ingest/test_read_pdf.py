from __future__ import annotations

import pytest

from tests.documents import make_pdf
from upheld.errors import ReadError
from upheld.ingest.read import Heading, read


def test_pages_begin_where_their_first_words_are() -> None:
    lines = [[f"Page {n} begins here.", "And it goes on."] for n in range(1, 6)]
    document = read(make_pdf(lines, title="Five pages"), "a.pdf")
    assert document.title == "Five pages"
    assert len(document.pages) == 5
    for number, start in enumerate(document.pages, start=1):
        assert document.text[start:].startswith(f"Page {number} begins here.\nAnd it goes on.")


def test_a_word_broken_over_lines_is_whole() -> None:
    text = read(make_pdf([["This is an exam-", "ple of a word."]]), "a.pdf").text
    assert text == "This is an example of a word."


def test_space_between_lines_parts_paragraphs() -> None:
    lines = [
        "A heading",
        "",
        "The first paragraph has",
        "three lines",
        "of text.",
        "",
        "The second.",
    ]
    text = read(make_pdf([[*lines, "", "It goes on,", "", "", "as one sees."]]), "a.pdf").text
    assert text.split("\n\n") == [
        "A heading",
        "The first paragraph has\nthree lines\nof text.",
        "The second.",
        "It goes on,\nas one sees.",
    ]


def test_a_sentence_may_run_on_over_the_page() -> None:
    text = read(make_pdf([["It runs on and"], ["then ends."], ["New."]]), "a.pdf").text
    assert text == "It runs on and\nthen ends.\n\nNew."


def test_an_empty_page_keeps_its_number() -> None:
    document = read(make_pdf([["One."], [], ["Three."]]), "a.pdf")
    assert document.text[document.pages[2] :] == "Three."


def test_the_outline_gives_headings() -> None:
    pages = [["Intro", "Words."], ["Method", "Details", "Words."]]
    outline = [(0, 0, "Intro"), (1, 0, "Method"), (1, 1, "Details"), (1, 1, "Elsewhere")]
    document = read(make_pdf(pages, outline=outline), "a.pdf")
    second = document.pages[1]
    assert document.headings == (
        Heading(0, 1, "Intro"),
        Heading(second, 1, "Method"),
        Heading(second, 2, "Elsewhere"),  # its words are not on the page, so the page it is
        Heading(document.text.index("Details"), 2, "Details"),
    )


@pytest.mark.parametrize(
    ("data", "reason", "what_to_do"),
    [
        (make_pdf([["Secret."]], password="pw"), "is encrypted", "without a password"),
        (make_pdf([[], []]), "looks scanned", "OCR"),
        (b"%PDF-1.7 and then nothing", "cannot|can be opened", "complete"),
    ],
)
def test_a_pdf_that_cannot_be_read_says_what_to_do(
    data: bytes, reason: str, what_to_do: str
) -> None:
    with pytest.raises(ReadError, match=reason) as caught:
        read(data, "a.pdf")
    assert what_to_do in caught.value.help


@pytest.mark.parametrize("title", ["about:blank", "Untitled"])
def test_a_title_that_says_nothing_is_none(title: str) -> None:
    assert read(make_pdf([["The tower opens at nine."]], title=title), "a.pdf").title == ""
