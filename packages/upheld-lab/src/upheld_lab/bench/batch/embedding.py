"""The embedding stage alone, on a Ray cluster of so many CPUs, in a process of its own."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from upheld.bulk import Broken, Stage, Work
from upheld.errors import BulkError
from upheld.ingest.changes import File
from upheld.ingest.cut import CutDocument, Group
from upheld.resources.bulk import OpenEmbedder, for_worker
from upheld.settings import Settings
from upheld.types import Document
from upheld_lab.bench.costs.synthetic import Writer

TOGETHER = 16  # passages of an item


def time_embedding(passages: int, cpus: int, settings: Settings) -> float:
    """Seconds a passage, from the first that is begun on; workers have one CPU each."""
    # Not in this process: Ray forks, which engines with threads do not bear.
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as process:
        return process.submit(_time_here, passages, cpus, settings).result()


def _time_here(passages: int, cpus: int, settings: Settings) -> float:
    from upheld.edge.bulk.ray import RayBulk

    bulk = RayBulk("local", cpus=cpus)
    try:
        stage = Stage("embed", _Dated(OpenEmbedder(for_worker(settings))), cpus=1)
        begun = list(bulk.run(list(made_groups(passages)), stage))
        ended = time.time()
    finally:
        bulk.close()
    if broken := next((each for each in begun if isinstance(each, Broken)), None):
        raise BulkError(f"Passages were not embedded: {broken.reason}")
    return float(ended - min(begun)) / passages


@dataclass(frozen=True, slots=True)
class _Dated:
    """Opens a stage whose work returns when it began: results come later, several at once."""

    open: Callable[[], Work]

    def __call__(self) -> Work:
        work = self.open()

        def dated(item: Any) -> float:
            began = time.time()
            work(item)
            return began

        return dated


def made_groups(passages: int) -> Iterator[Group]:
    """Passages of about 100 words, as the reading stage would pass them on."""
    made = Writer().passages(passages)
    document = Document("made", "made", "", "", "")
    file = File(Path("made"), "made", 0, None)
    for first in range(0, passages, TOGETHER):
        cut = CutDocument(file, document, tuple(made[first : first + TOGETHER]), 0)
        yield Group((file,), (cut,))
