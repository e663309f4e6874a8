"""Read plain text in any encoding."""

from __future__ import annotations

import codecs

from upheld.errors import ReadError
from upheld.ingest.read.document import ReadDocument, canonical

# Byte order marks and their encodings; UTF-32's mark begins with UTF-16's.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_BINARY_SHARE = 0.1  # of control characters; with more, the file is not text


def read_text(data: bytes, name: str) -> ReadDocument:
    """Read plain text; its canonical text is the decoded text."""
    return ReadDocument(canonical(decode(data, name)))


def decode(data: bytes, name: str) -> str:
    """Decode bytes by their byte order mark, else as UTF-8, else by a guess from the bytes."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = _guess(data, name)
    controls = sum(text[:4096].count(chr(code)) for code in (*range(9), *range(14, 32)))
    if controls > _BINARY_SHARE * len(text[:4096]):
        raise ReadError(f"{name} is not text", help="Give it the suffix of its format.")
    return text


def _guess(data: bytes, name: str) -> str:
    from charset_normalizer import from_bytes

    best = from_bytes(data).best()
    if best is None:
        raise ReadError(
            f"{name} is in no encoding that could be recognised", help="Save it as UTF-8."
        )
    return str(best)
