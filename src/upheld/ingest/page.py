"""A page that was fetched, not filed: read and cut as a file would be, and kept nowhere."""

from __future__ import annotations

from dataclasses import dataclass, field

from upheld.ingest.chunk import Chunker
from upheld.ingest.pipeline import Reader, document_id, pipeline_version
from upheld.ingest.read.document import one_line
from upheld.ports import IndexedDocument
from upheld.types import Document, content_hash


@dataclass(frozen=True, slots=True)
class PageReader:
    """From bytes to passages; give it a `ReadWorker`, as pages come from strangers."""

    reader: Reader
    chunker: Chunker = field(default_factory=Chunker)

    def __call__(self, data: bytes, name: str, *, uri: str, title: str) -> IndexedDocument:
        """The page's main text is the document; `title` serves where the page has none."""
        read = self.reader(data, name)
        document = Document(
            id=document_id(uri),
            uri=uri,
            title=read.title or one_line(title) or uri,
            text=read.text,
            source_hash=content_hash(data),
            pipeline=pipeline_version(self.chunker, None),
        )
        return IndexedDocument(document, self.chunker(document, read))
