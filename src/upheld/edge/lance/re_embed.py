"""Give a collection the vectors of another embedder, while it is searched and written.

1. An entry of the log of `meta.json` names new tables, which are created beside those in use.
2. What differs between the tables is copied in groups, with new vectors (`copying.py`). So a killed
   run is continued, and writes that were made meanwhile are caught up with.
3. An entry that says `closing` makes writers wait. What they had acknowledged before is copied.
4. An entry that names the new tables as those in use ends it, in one atomic step.

**Writers** read the log after each write. If there was no `closing` by then, step 3 copies the
write. Otherwise they wait for step 4 and repeat the write on the new tables, where vectors of the
old embedder are refused. If the process that closed the tables is dead, they open them again, and
its attempt to do step 4 fails.

**Readers** read the log whenever they look for new versions, and move to the new tables. `maintain`
removes the old ones after its grace.

One process does it at a time (`lease.py`). One that lost its lease without noticing may still
write to the new tables after step 4, so it replaces and deletes only commits that it has seen
before, and reads the log before each group.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import replace
from typing import Any

from upheld.edge.lance import upkeep
from upheld.edge.lance.collection import Collection, new_tables
from upheld.edge.lance.copying import GROUP_PASSAGES, Copying, Difference, Tell
from upheld.edge.lance.failures import MovedError
from upheld.edge.lance.lease import Lease
from upheld.edge.lance.meta import Meta
from upheld.edge.lance.rows import now_ms
from upheld.edge.lance.storage import RE_EMBED, Prefix
from upheld.errors import EngineError, NotFoundError
from upheld.ports import Embedder, ReEmbedded

_CATCH_UPS = 5  # before writers have to wait, however much they wrote meanwhile
_ASK_AGAIN = 0.1  # seconds


async def re_embed(name: str, prefix: Prefix, embedder: Embedder, tell: Tell) -> ReEmbedded:
    """Implement `LanceIndex.re_embed`."""
    started = time.monotonic()
    wanted = Meta(embedder.identity, embedder.dimension)
    documents = passages = 0
    await _read(prefix, name)  # a lease on nothing would create something
    async with Lease(prefix, name=RE_EMBED).held(wait=True):
        while not (meta := await _read(prefix, name)).has_embedder_of(wanted):
            named = await _name_tables(prefix, meta, wanted)
            if named is None:
                continue
            copying = await Copying.open(name, prefix, named, embedder, tell)
            try:
                with suppress(MovedError):
                    await _attempt(copying)
            finally:
                copying.close()
            documents, passages = documents + copying.documents, passages + copying.passages
    return ReEmbedded(documents, passages, embedder.identity, time.monotonic() - started)


async def confirm_write(collection: Collection) -> None:
    """Return once a write that was just made is sure to last; raises `MovedError` if it is not."""
    await collection.follow()
    while collection.meta.closing:
        if await Lease(collection.prefix, name=RE_EMBED).is_held():
            await asyncio.sleep(_ASK_AGAIN)
        else:
            await collection.prefix.append_meta(_next(collection.meta, closing=False))
        await collection.follow()


async def _read(prefix: Prefix, name: str) -> Meta:
    meta = await prefix.read_meta()
    if meta is None:
        raise NotFoundError(f"There is no collection {name!r}.")
    return meta


async def _name_tables(prefix: Prefix, meta: Meta, wanted: Meta) -> Meta | None:
    """Return the entry that names the tables to write; None if another process was faster."""
    building = meta.building
    if building is None or not building.has_embedder_of(wanted):
        building = replace(wanted, tables=new_tables())
    elif not meta.closing:
        return meta  # of a run that was killed
    entry = _next(meta, building=building, closing=False)
    return entry if await prefix.append_meta(entry) else None


def _next(meta: Meta, **changes: Any) -> Meta:
    return replace(meta, generation=meta.generation + 1, **changes)


async def _attempt(copying: Copying) -> None:
    """Copy, catch up and switch; if another process interferes, one more attempt is needed."""
    await copying.catch_up()
    await upkeep.maintain(copying.new, upkeep.GRACE_SECONDS)  # builds the indexes
    for _ in range(_CATCH_UPS):
        if await copying.catch_up() <= GROUP_PASSAGES:
            break
    closed = _next(copying.old.meta, closing=True)
    if not await copying.old.prefix.append_meta(closed):
        return
    before: Difference | None = None
    while difference := await copying.compare():
        if difference == before:  # copying it did not help
            raise EngineError(
                f"Document {next(iter(difference.changed), '')!r} is not stored whole.",
                help="Index it again, or delete it; then re-embed the collection.",
            )
        await copying.copy(difference)
        before = difference
    switched = replace(copying.new.meta, generation=closed.generation + 1, switched_at=now_ms())
    await copying.old.prefix.append_meta(switched)
