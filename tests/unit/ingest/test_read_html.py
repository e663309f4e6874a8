from __future__ import annotations

import pytest

from tests.documents import make_html
from upheld.errors import ReadError
from upheld.ingest.read import read
from upheld.ingest.read.html import read_html

ARTICLE = make_html(
    [
        ("nav", "Home Products Contact"),
        ("h1", "Solar power"),
        ("p", "Solar power turns sunlight into electricity; see the_paper *now*. It is clean."),
        ("h2", "History"),
        ("p", "Photovoltaics were first used for small and medium-sized applications."),
        ("pre", "# not a heading"),
    ],
    title="Solar power & more",
)


def test_a_page_gives_its_main_text_with_headings() -> None:
    document = read(ARTICLE, "a.html")
    assert document.title == "Solar power & more"
    assert [(h.level, h.title) for h in document.headings] == [(1, "Solar power"), (2, "History")]
    assert "see the_paper *now*. It is clean." in document.text
    assert "Home Products" not in document.text
    for heading in document.headings:
        assert document.text[heading.start :].startswith("#" * heading.level + " " + heading.title)


def test_what_looks_like_markdown_is_text() -> None:
    texts = ["# not a heading", "1. not a list", "a_b *c* [d] <e> `f` ~g~ \\_ \\", "- x | y"]
    page = make_html([("h1", "One_1"), *(("p", text) for text in texts), ("h2", "*Two*")])
    document = read(page, "a.html")
    assert all(text in document.text.split("\n") for text in texts)
    assert [h.title for h in document.headings] == ["One_1", "*Two*"]
    assert [document.text[h.start :].split("\n")[0] for h in document.headings] == [
        "# One_1",
        "## *Two*",
    ]


def test_a_page_without_main_text_gives_all_its_text() -> None:
    assert "just a line" in read(b"<html><body><div>just a line</div></body></html>", "a.htm").text


def test_the_declared_encoding_is_used() -> None:
    page = "<html><head><meta charset='cp1252'></head><body><p>Café au lait, s'il vous plaît.</p>"
    assert "Café au lait" in read(page.encode("cp1252"), "a.html").text


@pytest.mark.parametrize("data", [b"<html><body><script>x()</script></body></html>", b"\x00\x01"])
def test_a_page_without_text_is_reported(data: bytes) -> None:
    with pytest.raises(ReadError):
        read(data, "a.html")


def test_a_comment_in_code_is_no_heading() -> None:
    prose = "A configuration file has records, one to a line, and comments between them. " * 15
    page = f"""<html><body><h2>Records of <code>a_b</code></h2><p>{prose}</p><div class="example">
    <p>Example</p><div><pre>\n# TYPE  DATABASE  USER\nlocal   all       all\n</pre></div></div>
    <p>After.</p></body></html>"""
    document = read(page.encode(), "a.html")
    assert "# TYPE  DATABASE  USER" in document.text
    assert [heading.title for heading in document.headings] == ["Records of a_b"]


def test_an_exponent_in_a_table_is_one() -> None:
    row = "<tr><td>rows</td><td>2<sup>32</sup></td></tr>"
    page = f"<p>Limits.</p><table><tr><th>Type</th><th>Limit</th></tr>{row}</table>"
    assert "Limit: 2^32" in read_html(page.encode(), "limits.html").text


def test_a_page_whose_main_part_is_in_its_header_is_read() -> None:
    name = "<div class='sectionbody'><div id='content'><p>Opens a valve.</p></div></div>"
    page = f"<html><body><div id='header'>{name}</div></body></html>"
    assert "Opens a valve." in read_html(page.encode(), "valve.html").text
