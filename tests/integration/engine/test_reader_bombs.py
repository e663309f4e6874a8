"""Archives and XML that unpack to far more than they are, read by the real child process."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator

import pytest

from tests.documents import make_docx
from upheld.errors import ReadError
from upheld.ingest.worker import Limits, ReadWorker

LIMITS = Limits(seconds=30, memory_bytes=400_000_000)
ZEROS = b"\0" * 1_000_000
LAUGHS = (
    b'<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "ha">'
    + b"".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">'.encode() for n in range(11))
    + b"]>"
)
OUTSIDE = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY o SYSTEM "file:///etc/passwd">]>'


@pytest.fixture(scope="module")
def worker() -> Iterator[ReadWorker]:
    with ReadWorker(LIMITS) as it:
        yield it


def changed_docx(body: bytes) -> bytes:
    """A Word document whose main part is something else."""
    made = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(make_docx([("Normal", "Words.")]))) as old,
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            content = body if name == "word/document.xml" else old.read(name)
            new.writestr(name, content, compresslevel=1)
    return made.getvalue()


def zeros(megabytes: int, inner: str) -> bytes:
    """An archive of a few kilobytes for each hundred megabytes in it."""
    made = io.BytesIO()
    with (
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open(inner, "w", force_zip64=True) as file,
    ):
        for _ in range(megabytes):
            file.write(ZEROS)
    return made.getvalue()


def document_xml(head: bytes, entity: bytes) -> bytes:
    word = b"http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    text = b"<w:body><w:p><w:r><w:t>" + entity + b"</w:t></w:r></w:p></w:body>"
    return head + b'<w:document xmlns:w="' + word + b'">' + text + b"</w:document>"


BOMBS = {
    "zip.docx": lambda: zeros(500, "word/document.xml"),
    "zip.xlsx": lambda: zeros(500, "[Content_Types].xml"),
    "zip.epub": lambda: zeros(500, "META-INF/container.xml"),
    "part.docx": lambda: changed_docx(b" " * 450_000_000),
    "laughs.docx": lambda: changed_docx(document_xml(LAUGHS, b"&l;")),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_ends_in_the_child(worker: ReadWorker, name: str) -> None:
    data = BOMBS[name]()
    assert len(data) < 3_000_000
    with pytest.raises(ReadError):
        worker(data, name)
    assert worker(b"Still here.", "a.txt").text == "Still here."


@pytest.mark.parametrize("suffix", [".html", ".xhtml"])
def test_entities_of_a_page_do_not_expand(worker: ReadWorker, suffix: str) -> None:
    page = LAUGHS + b"<html><body><p>The tower opens at nine. &l;</p></body></html>"
    try:
        text = worker(page, f"page{suffix}").text
    except ReadError:
        return
    assert len(text) < 100_000


def test_entities_bring_in_no_file_of_ours(worker: ReadWorker) -> None:
    page = OUTSIDE + b"<html><body><p>The tower opens at nine. &o;</p></body></html>"
    word = changed_docx(document_xml(OUTSIDE, b"The tower opens at nine. &o;"))
    for data, name in ((page, "page.xhtml"), (page, "page.html"), (word, "word.docx")):
        try:
            text = worker(data, name).text
        except ReadError:
            continue
        assert "root:" not in text
