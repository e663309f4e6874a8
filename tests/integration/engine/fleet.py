"""Processes of a fleet on one collection: writers that maintain it, too, and readers.

Run as `python -m tests.integration.engine.fleet write|read NAME ROOT OPTIONS FOLDER`. Each writes
lines to `FOLDER/NAME.jsonl`: a writer what was acknowledged, a reader what it saw, and when.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

from tests.integration.places import Place
from upheld.edge.lance.index import LanceIndex
from upheld.errors import StorageError
from upheld.testing.index_samples import OWNER, made, unit

MAINTAIN_EVERY = 10.0  # seconds
DEADLINE = 20.0  # of one operation, with its retries
PAUSE = 0.25  # between operations


class Journal:
    """Lines of JSON, each of them whole on disk before the next begins."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a", buffering=1)

    def write(self, **fields: Any) -> None:
        self._file.write(json.dumps({"at": time.time(), **fields}) + "\n")


async def retried(work: Callable[[], Awaitable[Any]], journal: Journal, what: str) -> Any:
    """Try again until the deadline; what fails until then is written down as failed."""
    ends = time.monotonic() + DEADLINE
    while True:
        left = max(ends - time.monotonic(), 0.1)
        try:
            return await asyncio.wait_for(work(), left)
        except (StorageError, TimeoutError) as error:
            if time.monotonic() >= ends:
                journal.write(failed=what, reason=str(error)[:300])
                if what == "write":
                    raise  # it would count as acknowledged
                return None
            await asyncio.sleep(0.2)


async def write(index: LanceIndex, name: str, journal: Journal, done: int) -> None:
    """Add a document, and replace an older one now and then; maintain the collection in turns."""
    dice, number, maintained = random.Random(name), done, time.monotonic()
    while True:
        again = number > 10 and dice.random() < 0.2
        chosen = dice.randrange(number) if again else number
        text = f"common {name} number {chosen} edition {number}"
        document = made(f"{name}-{chosen}", text, "common second")
        id, version = document.document.id, document.document.version
        journal.write(begins=id, version=version)
        await retried(partial(index.upsert, OWNER.collection, [document]), journal, "write")
        journal.write(id=id, version=version)
        number += 1
        if time.monotonic() - maintained > MAINTAIN_EVERY:
            await retried(lambda: index.maintain(OWNER.collection, wait=False), journal, "maintain")
            maintained = time.monotonic()
        await asyncio.sleep(PAUSE)


async def read(index: LanceIndex, journal: Journal, folder: Path) -> None:
    """Search, and look for each document that writers acknowledge."""
    seen: dict[str, str] = {}
    while True:
        began = time.perf_counter()
        hits = await retried(
            lambda: index.hybrid("common second", unit(1, 0, 0, 0), OWNER, 10), journal, "search"
        )
        if hits is not None:
            ids = [hit.passage.id for hit in hits]
            journal.write(seconds=time.perf_counter() - began, doubled=len(ids) - len(set(ids)))
        infos = await retried(lambda: index.documents(OWNER), journal, "list")
        for info in infos or ():
            if seen.get(info.id) != info.version:
                seen[info.id] = info.version
                journal.write(saw=info.id, version=info.version)
        await asyncio.sleep(PAUSE)


async def main(role: str, name: str, root: str, options: str, folder: Path) -> None:
    journal = Journal(folder / f"{name}.jsonl")
    place = Place(root, json.loads(options))
    index = await place.open()
    if role == "write":
        lines = (folder / f"{name}.jsonl").read_text().splitlines()
        done = sum('"id"' in line for line in lines)
        await write(index, name, journal, done)
    else:
        await read(index, journal, folder)


if __name__ == "__main__":
    role, name, root, options, folder = sys.argv[1:]
    asyncio.run(main(role, name, root, options, Path(folder)))
