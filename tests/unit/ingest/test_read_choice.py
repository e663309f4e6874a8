from __future__ import annotations

import subprocess
import sys

import pytest

from tests.documents import make_docx, make_epub, make_html, make_pdf, make_pptx, make_xlsx
from upheld.errors import MissingExtraError, ReadError
from upheld.ingest.read import SUFFIXES, read


def test_a_pdf_is_known_by_its_first_bytes() -> None:
    assert read(make_pdf([["Hello."]]), "download.txt").text == "Hello."


def test_a_suffix_may_be_in_capitals() -> None:
    assert read(b"Hello.", "README.TXT").text == "Hello."


def test_an_unknown_format_names_the_known_ones() -> None:
    with pytest.raises(ReadError, match=r"a\.exe") as caught:
        read(b"MZ", "a.exe")
    assert all(suffix in caught.value.help for suffix in SUFFIXES)


@pytest.mark.parametrize(
    ("package", "name", "data"),
    [
        ("pypdfium2", "a.pdf", make_pdf([["Hello."]])),
        ("trafilatura", "a.html", make_html([("p", "Hello.")])),
        ("markitdown", "a.docx", make_docx([("Normal", "Hello.")])),
        ("markitdown", "a.pptx", make_pptx([("Hello", "There")])),
        ("markitdown", "a.epub", make_epub("Hello", [("There", ["x"])])),
        ("openpyxl", "a.xlsx", make_xlsx({"a": [["Hello"]]})),
    ],
)
def test_a_missing_package_names_the_extra(
    package: str, name: str, data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError) as caught:
        read(data, name)
    assert "upheld[readers]" in caught.value.help


def test_text_and_markdown_need_no_extra() -> None:
    """A new interpreter, so that nothing another test imported counts."""
    code = (
        "import sys; from upheld.ingest.read import read; "
        "read(b'# Hi', 'a.md'); read(b'Hi', 'a.txt'); "
        "heavy = {'pypdfium2', 'trafilatura', 'markitdown', 'openpyxl', 'numpy', 'lancedb'}; "
        "sys.exit(len(heavy & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
