"""Documents, the passages that they are cut into, and the citations that point into them.

Offsets count Unicode code points, are half-open, and point into the canonical text of one document
version, so that anyone can check `document_text[start:end] == quote`.
"""

from __future__ import annotations

import hashlib
import uuid
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from upheld.types.support import Support


def new_id() -> str:
    """Return a random identifier, for objects that have no content to hash."""
    return uuid.uuid4().hex


def content_hash(content: str | bytes) -> str:
    """Hash a document's text or a file's bytes: the first 128 bits of SHA-256, in hex."""
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    return hashlib.sha256(data).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Scope:
    """What a caller may see: one collection and, inside it, documents by label.

    `labels=None` admits all documents. A set of labels admits documents that have at least one of
    them, and documents without labels.

    Example::

        Scope("default", frozenset({"staff"})).admits(frozenset({"board"}))  # False
    """

    collection: str = "default"
    labels: frozenset[str] | None = None

    def admits(self, labels: frozenset[str]) -> bool:
        """Whether a document with these labels may be seen."""
        return self.labels is None or not labels or bool(self.labels & labels)


@dataclass(frozen=True, slots=True)
class Document:
    """A document after reading: its canonical text and where it came from.

    Example::

        text = "The tower opens at nine."
        Document("note-7", "note:7", "Opening hours", text, content_hash(text))
    """

    id: str
    uri: str
    title: str
    text: str
    source_hash: str  # hash of the file's bytes; a different one means that the file changed
    ingest_version: str = ""  # reader, chunker and embedder versions that made its passages
    labels: frozenset[str] = frozenset()

    @property
    def version(self) -> str:
        """The hash of the canonical text."""
        return content_hash(self.text)


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """A committed document, as the index lists it.

    Example::

        for document in kb.documents():
            print(document.id, document.title, document.passages)
    """

    id: str
    uri: str
    title: str
    version: str
    source_hash: str
    ingest_version: str
    passages: int
    labels: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Place:
    """The page and the headings that hold from `start` on, an offset into the document."""

    start: int
    page: int | None = None
    heading_path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """A span of one document version: the unit that is searched, cited and checked.

    `page` and `heading_path` hold where it begins; `places` lists the later pages and headings
    that begin inside it, in order.
    """

    id: str
    text: str
    document_id: str
    document_version: str
    start: int
    end: int
    title: str = ""
    uri: str = ""
    page: int | None = None
    heading_path: tuple[str, ...] = ()
    labels: frozenset[str] = frozenset()
    places: tuple[Place, ...] = ()

    @property
    def searchable(self) -> str:
        """The text to index and to grade: title, headings and text."""
        return "\n".join(
            part for part in (self.title, " > ".join(self.heading_path), self.text) if part
        )

    def place_at(self, offset: int) -> Place:
        """Return the page and headings at an offset into the document."""
        later = bisect_right(self.places, offset, key=lambda place: place.start)
        return self.places[later - 1] if later else Place(self.start, self.page, self.heading_path)

    def cite(self, start: int, end: int, support: Support = Support.NOT_CHECKED) -> Citation:
        """Make a citation of `text[start:end]`, with the page and headings of that span."""
        place = self.place_at(self.start + start)
        return Citation(
            passage_id=self.id,
            document_id=self.document_id,
            document_version=self.document_version,
            start=self.start + start,
            end=self.start + end,
            quote=self.text[start:end],
            support=support,
            page=place.page,
            heading_path=place.heading_path,
            title=self.title,
            uri=self.uri,
        )


def passage_id(document_id: str, document_version: str, start: int, end: int) -> str:
    """Return the id of a passage, which depends only on the document version and the span."""
    return f"{document_id}.{document_version[:12]}.{start}-{end}"


def unique_passages(passages: Iterable[Passage]) -> tuple[Passage, ...]:
    """Drop repeated passages, by id, and keep the order of first occurrence."""
    return tuple({passage.id: passage for passage in passages}.values())


def located(passages: Sequence[Passage]) -> dict[str, Passage]:
    """Map passages by their id."""
    return {passage.id: passage for passage in passages}


@dataclass(frozen=True, slots=True)
class Citation:
    """A span of a document that a claim rests on: `document_text[start:end] == quote`."""

    passage_id: str
    document_id: str
    document_version: str
    start: int
    end: int
    quote: str
    support: Support = Support.NOT_CHECKED
    page: int | None = None  # of the quote; its passage may begin on an earlier page
    heading_path: tuple[str, ...] = ()
    title: str = ""  # of the document
    uri: str = ""  # where it was read from
