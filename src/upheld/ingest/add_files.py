"""Add files to an index: read, chunk, embed and write only what has changed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from upheld._internal.concurrency import in_reading_thread, together
from upheld.add_report import AddReport, Failure, HiddenText, Progress, Tell
from upheld.bulk import Broken
from upheld.errors import MissingExtraError, ReadError
from upheld.ingest.changes import File, compare, find_gone, why_not
from upheld.ingest.chunk import Chunker
from upheld.ingest.cut import CutDocument, Cutter, Group, grouped
from upheld.ingest.document import Reader, ingest_version, with_vectors
from upheld.ingest.walk import Found, find_files
from upheld.ingest.worker import Limits
from upheld.ports import Embedder, Index
from upheld.types import DocumentInfo, Scope

if TYPE_CHECKING:
    from upheld.ports import Vectors

# Reads, chunks and embeds groups of files elsewhere, and yields them as they are ready.
Prepare = Callable[[Sequence[Group]], Iterator[Group | Broken]]

# A batch is one commit: large enough that commits cost little, small enough that a crash loses
# little.
BATCH_PASSAGES = 192
BATCH_CHARACTERS = 8_000_000
FILES_AT_ONCE = 2  # so that a large file does not block those after it
FIRST_BATCH_PASSAGES = 64  # so that embedding, and the progress bar, start early
BULK_PASSAGES = 2_000  # at most in one commit, where many workers embed
# Rows not yet covered by an index cost BM25 40 ms per thousand: docs/decisions/001-search-engine.md
LONGEST_TAIL = 4_000


async def add(
    paths: Iterable[Path],
    *,
    index: Index,
    embedder: Embedder | None,
    chunker: Chunker,
    reader: Reader,
    collection: str = "default",
    labels: frozenset[str] | None = None,
    limits: Limits = Limits(),
    progress: Tell | None = None,
    prune: bool = False,
    prepare: Prepare | None = None,
) -> AddReport:
    """Make a collection match files and folders.

    Unchanged files are skipped, changed ones replaced. At the end, documents whose files are gone
    from a folder are deleted; but none if a folder could not be listed, and without `prune` none if
    a file could not be read, or if it would be all documents of a folder, or more than 10 and a
    tenth of them. After an interruption, run it again: it continues, since files already written
    are unchanged. Without `labels`, documents keep the labels they have, so that a private one
    never becomes public. With `prepare`, other processes read, chunk and embed; this one only
    writes.
    """
    began = time.monotonic()
    version = ingest_version(chunker, embedder)
    known = await index.documents(Scope(collection))
    found = await asyncio.to_thread(partial(find_files, list(paths), allow_missing=prune))
    changes = await asyncio.to_thread(compare, found, known, version, labels)
    cut = Cutter(reader, chunker, version, labels, limits)
    line = _Line(
        index,
        embedder,
        collection,
        cut,
        changes.to_read,
        progress or _tell_nobody,
        AddReport(unchanged=len(changes.unchanged), skipped=found.skipped, unlisted=found.unlisted),
        Progress(files_total=changes.files, bytes_total=changes.bytes),
    )
    line.tell_done(*changes.unchanged)
    if prepare is None:
        await together(line.read(), line.embed(), line.write())
    else:
        await together(line.take(prepare(tuple(grouped(changes.to_read)))), line.write())
    report = await _delete_gone(index, collection, found, known, line.report, prune=prune)
    if line.maintained:
        await index.maintain(collection)  # what was left while rows were loading
    return replace(report, seconds=time.monotonic() - began)


async def _delete_gone(
    index: Index,
    collection: str,
    found: Found,
    known: Sequence[DocumentInfo],
    report: AddReport,
    *,
    prune: bool,
) -> AddReport:
    """Delete documents whose files are gone; run after everything was listed, read and written."""
    try:
        gone = await asyncio.to_thread(find_gone, found, known)
    except OSError as error:
        failure = Failure(str(error.filename), f"cannot be looked at: {error.strerror}")
        return replace(report, unlisted=(*report.unlisted, failure))
    if not gone:
        return report
    uris = tuple(info.uri for info in gone)
    if because := why_not(found, known, gone, report, prune=prune):
        return replace(report, not_deleted_uris=uris, not_deleted_because=because)
    deleted = await index.delete(collection, [info.id for info in gone])
    return replace(report, deleted=deleted, deleted_uris=uris)


_Embedded = tuple[list[CutDocument], "Vectors | None"]


@dataclass(slots=True)
class _Line:
    """Three stages at once: one batch is embedded while the next is read and the last written."""

    index: Index
    embedder: Embedder | None
    collection: str
    cut: Cutter
    files: tuple[File, ...]
    progress: Tell
    report: AddReport
    done: Progress
    tail: int = 0  # passages written since the index was last maintained
    maintained: bool = False
    batch: list[CutDocument] = field(default_factory=list)  # read since the last full one
    enough: int = 0  # passages that make it full
    reading: dict[str, None] = field(default_factory=dict)  # file names, in order of start
    to_embed: asyncio.Queue[list[CutDocument]] = field(default_factory=lambda: asyncio.Queue(1))
    to_write: asyncio.Queue[_Embedded] = field(default_factory=lambda: asyncio.Queue(1))

    async def read(self) -> None:
        """Read several files at once, so that a large one does not block those after it."""
        self.enough = min(FIRST_BATCH_PASSAGES, BATCH_PASSAGES)
        left = iter(self.files)
        await together(*(self._read_all(left) for _ in range(FILES_AT_ONCE)))
        if self.batch:
            await self.to_embed.put(self.batch)
        await self.to_embed.put([])  # marks the end

    async def _read_all(self, left: Iterator[File]) -> None:
        for file in left:
            self.reading[file.path.name] = None
            self.tell_done()
            try:
                cut = await in_reading_thread(self.cut, file)
            except (ReadError, MissingExtraError) as error:
                self._fail([Failure(str(file.path), str(error))], [file])
            else:
                self.batch.append(cut)  # only now: while this waited, the batch may have been sent
            finally:
                self.reading.pop(file.path.name, None)
            if _is_full(self.batch, self.enough):
                full, self.batch, self.enough = self.batch, [], BATCH_PASSAGES
                await self.to_embed.put(full)

    async def embed(self) -> None:
        while batch := await self.to_embed.get():
            await self.to_write.put((batch, await self._embedded(batch)))
        await self.to_write.put(([], None))

    async def _embedded(self, batch: list[CutDocument]) -> Vectors | None:
        """Return the vectors of a batch; a batch with a large file is embedded in parts."""
        if self.embedder is None:
            return None
        import numpy

        texts = [passage.searchable for each in batch for passage in each.passages]
        size, parts = _size(batch), []
        for start in range(0, max(len(texts), 1), BATCH_PASSAGES):
            end = min(start + BATCH_PASSAGES, len(texts))
            parts.append(await self.embedder.embed(texts[start:end]))
            share = size * end // max(len(texts), 1) - size * start // max(len(texts), 1)
            self._begin(share, end - start)
        return parts[0] if len(parts) == 1 else numpy.concatenate(parts)

    async def take(self, prepared: Iterator[Group | Broken]) -> None:
        """Make commits of groups that other processes prepare, instead of `read` and `embed`."""
        waiting: list[Group] = []
        self.enough = FIRST_BATCH_PASSAGES
        while (group := await asyncio.to_thread(next, prepared, None)) is not None:
            if isinstance(group, Broken):
                files = group.item.files
                self._fail([Failure(str(file.path), group.reason) for file in files], files)
                continue
            self._fail(group.failed, [each for each in group.files if _failed(each, group)])
            if group.vectors is not None:
                self._begin(_size(group.cut), _passages(group.cut))
            waiting.append(group)
            if _is_full([each for one in waiting for each in one.cut], self.enough):
                await self.to_write.put(_joined(waiting))
                # A run that dies repeats at most as much as it has written.
                waiting, self.enough = [], min(2 * self.enough, BULK_PASSAGES)
        if any(group.cut for group in waiting):
            await self.to_write.put(_joined(waiting))
        await self.to_write.put(([], None))

    def _fail(self, failures: Iterable[Failure], files: Sequence[File]) -> None:
        self.report = replace(self.report, failed=(*self.report.failed, *failures))
        self.tell_done(*files)

    async def write(self) -> None:
        while batch := (taken := await self.to_write.get())[0]:
            documents = [(each.document, each.passages) for each in batch]
            await self.index.upsert(self.collection, with_vectors(documents, taken[1]))
            if taken[1] is not None:
                self._begin(-_size(batch), -_passages(batch))
            changed = sum(each.file.known is not None for each in batch)
            hiding = (HiddenText(str(e.file.path), e.hidden) for e in batch if e.hidden)
            self.report = replace(
                self.report,
                added=self.report.added + len(batch) - changed,
                changed=self.report.changed + changed,
                hidden=(*self.report.hidden, *hiding),
                passages=self.report.passages + _passages(batch),
            )
            self.tell_done(*(each.file for each in batch))
            self.tail += _passages(batch)
            if self.tail >= LONGEST_TAIL:
                await self.index.maintain(self.collection, loading=True)
                self.tail, self.maintained = 0, True

    def tell_done(self, *files: File) -> None:
        self.done = replace(
            self.done,
            files=self.done.files + len(files),
            bytes=self.done.bytes + sum(file.size for file in files),
            passages=self.report.passages,
            reading=tuple(self.reading),
        )
        self.progress(self.done)

    def _begin(self, bytes: int, passages: int) -> None:
        """Count what is embedded but not written yet; report it if the count grew."""
        self.done = replace(
            self.done,
            bytes_begun=self.done.bytes_begun + bytes,
            passages_begun=self.done.passages_begun + passages,
        )
        if passages > 0:
            self.tell_done()


def _joined(groups: Sequence[Group]) -> _Embedded:
    """Return several groups as one batch."""
    import numpy

    batch = [each for group in groups for each in group.cut]
    vectors = [group.vectors for group in groups if group.vectors is not None]
    return batch, numpy.concatenate(vectors) if vectors else None


def _failed(file: File, group: Group) -> bool:
    return any(failure.path == str(file.path) for failure in group.failed)


def _size(batch: Iterable[CutDocument]) -> int:
    return sum(each.file.size for each in batch)


def _passages(batch: Iterable[CutDocument]) -> int:
    return sum(len(each.passages) for each in batch)


def _is_full(batch: list[CutDocument], enough: int) -> bool:
    return (
        _passages(batch) >= enough
        or sum(len(each.document.text) for each in batch) >= BATCH_CHARACTERS
    )


def _tell_nobody(progress: Progress) -> None:
    """Ignore the progress: the default without a listener."""
