"""Random Unicode through every reader: spans exact, nothing lost, nothing too long."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from tests.documents import make_docx, make_epub, make_html, make_pdf, make_pptx, make_xlsx
from upheld.ingest.chunk import WINDOW, Chunker
from upheld.ingest.read import ReadDocument, read
from upheld.ingest.read.document import canonical
from upheld.types import Document
from upheld_models import embedder_tokenizer

# Words of many scripts: emoji with joiners, combining and astral characters among them.
LETTERS = st.characters(
    categories=("Lu", "Ll", "Lo", "Lm", "Nd", "Mn", "So"), exclude_characters="\ufffc\ufffd"
)
WORD = st.text(LETTERS, min_size=1, max_size=12).filter(
    lambda word: not unicodedata.combining(word[0])  # a mark at the front would join the space
)
PARAGRAPHS = st.lists(
    st.lists(WORD, min_size=1, max_size=60).map(lambda words: " ".join(words) + "."),
    min_size=1,
    max_size=8,
)
# Fonts that need no file have the letters of Latin-1 only.
LATIN = st.lists(
    st.lists(st.text("abcdefXYZ0123äöüßéñ", min_size=1, max_size=9), min_size=1, max_size=8).map(
        lambda words: " ".join(words) + "."
    ),
    min_size=1,
    max_size=30,
)

MAKERS: dict[str, Callable[[list[str]], bytes]] = {
    "a.txt": lambda texts: "\n\n".join(texts).encode(),
    "a.md": lambda texts: ("# Title\n\n" + "\n\n".join(texts)).encode(),
    "a.html": lambda texts: make_html([("h1", "Title"), *(("p", text) for text in texts)]),
    "a.docx": lambda texts: make_docx(
        [("Heading 1", "Title"), *(("Normal", text) for text in texts)]
    ),
    "a.pptx": lambda texts: make_pptx([("Title", text) for text in texts]),
    "a.xlsx": lambda texts: make_xlsx({"Sheet": [[text] for text in texts]}),
    "a.epub": lambda texts: make_epub("Book", [("Title", texts)]),
}


@cache
def chunker() -> Chunker:
    return Chunker.with_tokenizer(embedder_tokenizer())


@cache
def tokenizer() -> Tokenizer:
    tokenizer: Tokenizer = Tokenizer.from_file(str(embedder_tokenizer()))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def check(document: ReadDocument, texts: list[str]) -> None:
    text = document.text
    assert text == canonical(text)
    squeezed = "".join(text.split())
    for wanted in texts:
        assert "".join(canonical(wanted).split()) in squeezed
    whole = Document("id", "uri", document.title, text, "hash")
    passages = chunker()(whole, document)
    for passage in passages:
        assert text[passage.start : passage.end] == passage.text
        assert len(tokenizer().encode(passage.searchable)) <= WINDOW
    assert "".join("".join(p.text for p in passages).split()) == squeezed
    for heading in document.headings:
        assert heading.title in text[heading.start :]


@pytest.mark.parametrize("name", MAKERS)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts=PARAGRAPHS)
def test_every_reader_keeps_unicode_and_spans(name: str, texts: list[str]) -> None:
    check(read(MAKERS[name](texts), name), texts)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(pages=st.lists(LATIN, min_size=1, max_size=4))
def test_pdf_keeps_words_spans_and_pages(pages: list[list[str]]) -> None:
    document = read(make_pdf(pages), "a.pdf")
    check(document, [line for page in pages for line in page])
    assert len(document.pages) == len(pages)
    for start, lines in zip(document.pages, pages, strict=True):
        assert document.text[start:].startswith(lines[0])


@settings(max_examples=200, deadline=None)
@given(source=st.text(max_size=2000).filter(lambda text: bool(canonical(text).strip())))
def test_any_string_survives_as_text_and_markdown(source: str) -> None:
    for name in ("a.txt", "a.md"):
        data = source.encode("utf-8", "surrogatepass")
        if b"\x00" in data or any(code < 32 for code in data):
            continue  # controls may make it a binary file; `canonical` has its own tests
        check(read(data, name), [])
