"""Where bulk work runs, and what its workers open: readers, embedders and verifiers."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from upheld.add_report import AddReport, Tell
from upheld.bulk import Bulk, Stage
from upheld.errors import UsageError
from upheld.ingest.add_files import Prepare, add
from upheld.ingest.cut import CutGroup, Cutter, EmbedGroup
from upheld.ingest.document import ingest_version
from upheld.resources.open import Resources, chunker, open_embedder, reader
from upheld.settings import Settings

LOCAL, RAY = "local", "ray"
# Of one CPU, where both stages share it: reading takes about a fifth of the time of embedding.
READ_CPUS, EMBED_CPUS = 0.2, 0.8


def open_bulk(on: str) -> Bulk:
    """Open what `--on` names: `local`, `local:4`, `ray` or `ray://host:port`.

    Raises `UsageError` for anything else.
    """
    kind, _, rest = on.partition(":")
    if kind == LOCAL and (not rest or (rest.isdecimal() and int(rest))):
        from upheld.edge.bulk.local import LocalBulk

        return LocalBulk(int(rest) if rest else len(os.sched_getaffinity(0)))
    if kind == RAY and (not rest or rest.startswith("//")):
        from upheld.edge.bulk.ray import RayBulk

        return RayBulk(rest.removeprefix("//") or None)
    raise UsageError(
        f"{on!r} is no place to work on.",
        help="Use local (processes of this machine), local:4, ray (the cluster that RAY_ADDRESS "
        "names, or a new one on this machine) or ray://host:port.",
    )


def for_worker(settings: Settings) -> Settings:
    """Return the settings of a worker: its models have one thread, as there are many workers."""
    return settings.model_copy(update={"threads": settings.threads or 1})


@dataclass(frozen=True, slots=True)
class OpenCutter:
    """Opens the reader and the chunker in a worker."""

    settings: Settings
    ingest_version: str
    labels: frozenset[str] | None

    def __call__(self) -> CutGroup:
        read = reader(self.settings)
        cut = chunker(self.settings)
        return CutGroup(Cutter(read, cut, self.ingest_version, self.labels, read.limits))


@dataclass(frozen=True, slots=True)
class OpenEmbedder:
    """Opens the embedder in a worker."""

    settings: Settings

    def __call__(self) -> EmbedGroup:
        embedder = open_embedder(self.settings)
        assert embedder is not None  # else the collection has no vectors, and no such stage
        return EmbedGroup(embedder)


async def add_files(
    parts: Resources,
    paths: Sequence[Path],
    *,
    labels: frozenset[str] | None,
    progress: Tell | None,
    prune: bool,
    on: str | None,
) -> AddReport:
    """Add files to the collection of the settings, with the work done `on` some place or here."""
    with ExitStack() as closing:
        prepare = None
        if on is not None:
            bulk = await asyncio.to_thread(open_bulk, on)  # a cluster takes seconds
            closing.callback(bulk.close)
            prepare = _prepare(bulk, parts, labels)
        return await add(
            paths,
            index=parts.index,
            embedder=parts.embedder,
            chunker=parts.chunker,
            reader=parts.reader,
            limits=parts.reader.limits,
            collection=parts.settings.collection,
            labels=labels,
            progress=progress,
            prune=prune,
            prepare=prepare,
        )


def _prepare(bulk: Bulk, parts: Resources, labels: frozenset[str] | None) -> Prepare:
    """Return the function that reads, chunks and embeds groups of files in the workers."""
    own = for_worker(parts.settings)
    version = ingest_version(parts.chunker, parts.embedder)
    stages = [Stage("read", OpenCutter(own, version, labels), READ_CPUS)]
    if parts.embedder is not None:
        stages.append(Stage("embed", OpenEmbedder(own), EMBED_CPUS))
    return lambda groups: bulk.run(groups, *stages)
