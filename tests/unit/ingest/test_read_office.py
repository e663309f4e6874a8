from __future__ import annotations

import datetime

import pytest

from tests.documents import make_docx, make_epub, make_pptx, make_xlsx
from upheld.errors import ReadError
from upheld.ingest.read import Heading, read


def test_a_word_document_gives_headings_lists_and_tables() -> None:
    data = make_docx(
        [
            ("Title", "On wells"),
            ("Heading 1", "Depth"),
            ("Normal", "A well_head is *deep*: 40 m, naïve 😀."),
            ("Heading 2", "Records"),
            ("List Bullet", "the deepest"),
        ],
        table=[["Well", "Depth"], ["North", "41"]],
    )
    document = read(data, "wells.docx")
    assert document.title == "On wells"
    assert [(h.level, h.title) for h in document.headings] == [
        (1, "On wells"),
        (1, "Depth"),
        (2, "Records"),
    ]
    assert "A well_head is *deep*: 40 m, naïve 😀." in document.text
    assert document.text.endswith("\n\n| Well: North; Depth: 41 |")
    for heading in document.headings:
        assert document.text[heading.start :].startswith("#" * heading.level + " " + heading.title)


def test_slides_are_pages() -> None:
    slides = [("Aims", "First aim\nSecond aim"), ("Costs", "Few 😀"), ("End", "Thanks")]
    document = read(make_pptx(slides), "deck.pptx")
    assert document.title == "Aims"
    for start, (title, body) in zip(document.pages, slides, strict=True):
        assert document.text[start:].startswith(f"# {title}\n{body}")
    assert [h.start for h in document.headings] == list(document.pages)


def test_cells_say_what_the_sheet_says() -> None:
    rows: list[list[object]] = [
        ["Name", "Count", "Share", "When", "Note"],
        ["A|B", 3, 0.123456789012, datetime.date(2020, 1, 2), None],
        [None, None, None, None, None],
        ["long", 12345678.25, True, datetime.datetime(2020, 1, 2, 3, 4), "two\nlines " + "x" * 80],
    ]
    document = read(make_xlsx({"First": rows, "Empty": [], "Last": [["end"]]}), "book.xlsx")
    assert document.text == (
        "## First\n\n"
        "| Name: A|B; Count: 3; Share: 0.123456789012; When: 2020-01-02 |\n"
        "| Name: long; Count: 12345678.25; Share: True; When: 2020-01-02 03:04:00; "
        f"Note: two lines {'x' * 80} |\n\n"
        "## Last\n\n| end |"
    )
    assert document.headings == (
        Heading(0, 2, "First"),
        Heading(document.text.index("## Last"), 2, "Last"),
    )


def test_a_book_is_read_in_its_order() -> None:
    chapters = [("One", ["First words.", "More words."]), ("Two & three", ["Last words 中文。"])]
    document = read(make_epub("A book & more", chapters), "book.epub")
    assert document.title == "A book & more"
    assert [h.title for h in document.headings] == ["One", "Two & three"]
    assert document.text.index("First words.") < document.text.index("Last words 中文。")


@pytest.mark.parametrize("name", ["a.docx", "a.pptx", "a.xlsx", "a.epub"])
@pytest.mark.parametrize(
    "data", [b"PK\x03\x04 cut short", b"not a zip", make_epub("x", [])[:200], make_xlsx({"a": []})]
)
def test_a_broken_file_is_a_read_error(name: str, data: bytes) -> None:
    with pytest.raises(ReadError):
        read(data, name)


def test_an_old_or_encrypted_office_file_says_what_to_do() -> None:
    with pytest.raises(ReadError, match="Office 2003") as caught:
        read(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512), "a.docx")
    assert "Save it" in caught.value.help
