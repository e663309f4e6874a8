"""A process that writes documents to an index and prints each batch that was acknowledged.

Run as `python -m tests.integration.engine.index_writer ROOT OPTIONS FIRST COUNT BATCH`.
"""

from __future__ import annotations

import asyncio
import json
import sys

from tests.integration.places import Place
from upheld.ports import IndexedDocument
from upheld.testing.index_samples import OWNER, made

PASSAGES = 2


def document(number: int, edition: int = 0) -> IndexedDocument:
    """The same document for the same number and edition, in every process."""
    return made(f"doc{number}", f"common alpha{number} edition{edition}", f"common beta{number}")


async def write(place: Place, first: int, count: int, batch: int, edition: int) -> None:
    index = await place.open()
    held = {info.id: info.version for info in await index.documents(OWNER)}
    wanted = [document(number, edition) for number in range(first, first + count)]
    todo = [each for each in wanted if held.get(each.document.id) != each.document.version]
    print("started", flush=True)
    for start in range(0, len(todo), batch):
        some = todo[start : start + batch]
        await index.upsert("shelf", some)
        print(*(each.document.id for each in some), flush=True)
    await index.close()


if __name__ == "__main__":
    root, options, *numbers = sys.argv[1:]
    asyncio.run(write(Place(root, json.loads(options)), *map(int, numbers)))
