"""Read and chunk files, and embed their passages: one file at a time, or groups in bulk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from upheld._internal.loop_thread import LoopThread
from upheld.add_report import Failure
from upheld.errors import MissingExtraError, ReadError
from upheld.ingest.changes import File
from upheld.ingest.chunk import Chunker
from upheld.ingest.document import Reader, document_id, read_document
from upheld.ingest.read.document import one_line
from upheld.ingest.worker import Limits
from upheld.ports import Embedder
from upheld.types import Document, Passage

if TYPE_CHECKING:
    from upheld.ports import Vectors

# A group of files is one item of bulk work: large enough that sending it costs little, small
# enough that a worker which dies loses little.
FILES_TOGETHER = 32
BYTES_TOGETHER = 2_000_000


@dataclass(frozen=True, slots=True)
class CutDocument:
    """A file that was read and chunked."""

    file: File
    document: Document
    passages: tuple[Passage, ...]
    hidden: int  # characters of text that the file hides


@dataclass(frozen=True, slots=True)
class Cutter:
    """Reads and chunks one file; runs in a thread."""

    reader: Reader
    chunker: Chunker
    ingest_version: str
    labels: frozenset[str] | None
    limits: Limits

    def __call__(self, file: File) -> CutDocument:
        path = file.path
        if file.size > self.limits.file_bytes:
            raise ReadError(f"{path.name} is larger than {self.limits.file_bytes:,} bytes")
        try:
            data = path.read_bytes()
        except OSError as error:
            raise ReadError(f"{path.name} cannot be opened: {error.strerror}") from error
        kept = file.known.labels if file.known else frozenset[str]()
        document, read = read_document(
            self.reader,
            data,
            path.name,
            id=document_id(file.uri),
            uri=file.uri,
            title=one_line(path.stem),
            ingest_version=self.ingest_version,
            labels=kept if self.labels is None else self.labels,
        )
        return CutDocument(file, document, self.chunker(document, read), read.hidden)


@dataclass(frozen=True, slots=True)
class Group:
    """Files on their way through the stages of bulk work: to be read, then cut, then embedded."""

    files: tuple[File, ...]
    cut: tuple[CutDocument, ...] = ()
    failed: tuple[Failure, ...] = ()
    vectors: Vectors | None = None


def grouped(files: Iterable[File]) -> Iterator[Group]:
    """Make groups of files for bulk work."""
    group: list[File] = []
    for file in files:
        if group and sum(each.size for each in group) + file.size > BYTES_TOGETHER:
            yield Group(tuple(group))
            group = []
        group.append(file)
        if len(group) == FILES_TOGETHER:
            yield Group(tuple(group))
            group = []
    if group:
        yield Group(tuple(group))


@dataclass(frozen=True, slots=True)
class CutGroup:
    """The first stage: a file that cannot be read is a failure of the group, not an exception."""

    cut: Cutter

    def __call__(self, group: Group) -> Group:
        cut, failed = [], []
        for file in group.files:
            try:
                cut.append(self.cut(file))
            except (ReadError, MissingExtraError) as error:
                failed.append(Failure(str(file.path), str(error)))
        return replace(group, cut=tuple(cut), failed=tuple(failed))


class EmbedGroup:
    """The second stage: all passages of a group at once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder, self._loop = embedder, LoopThread()

    def __call__(self, group: Group) -> Group:
        texts = [passage.searchable for each in group.cut for passage in each.passages]
        return replace(group, vectors=self._loop.run(self._embedder.embed(texts)))
