"""One maintenance or re-embedding at a time on each collection, whichever hosts share it.

Time is cut into slots of five seconds. Who creates the object of a slot holds the lease for it, and
creates those that follow while its run goes on; a holder that dies holds nothing after its last
slot. Storage must only refuse to create an object twice, which folders and S3 do. Clocks that
differ by less than a slot let at most two runs overlap, which is safe: it costs time, not rows.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from upheld.edge.lance.storage import LEASE, Prefix
from upheld.errors import StorageError

SLOT_SECONDS = 5.0
_ASK_AGAIN = 1.0  # seconds


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to maintain one collection, or to do what else has this name."""

    prefix: Prefix
    slot_seconds: float = SLOT_SECONDS
    clock: Callable[[], float] = time.time
    name: str = LEASE

    async def is_held(self) -> bool:
        """Return whether a process holds the lease now."""
        return await self.prefix.has_lease(self._slot(), self.name)

    @asynccontextmanager
    async def held(self, *, wait: bool) -> AsyncIterator[bool]:
        """Hold the lease during the block; yields False if another process has it.

        With `wait`, the block begins when the lease is free. It is free when the block ends.
        """
        mine: list[int] = []
        await self.prefix.clear_old_leases(self._slot() - 1, self.name)
        while not await self._take(self._slot(), mine):
            if not wait:
                yield False
                return
            await asyncio.sleep(min(_ASK_AGAIN, self.slot_seconds / 4))
        keeping = asyncio.create_task(self._keep(mine))
        try:
            yield True
        finally:
            keeping.cancel()
            with suppress(asyncio.CancelledError, StorageError):
                await keeping
            with suppress(StorageError):  # what cannot be deleted expires
                await self.prefix.clear_leases(mine, self.name)

    def _slot(self) -> int:
        return int(self.clock() / self.slot_seconds)

    async def _take(self, slot: int, mine: list[int]) -> bool:
        """Take this slot and the next, so that there is time to renew."""
        if not await self.prefix.take_lease(slot, self.name):
            return False
        mine.append(slot)
        if not await self.prefix.take_lease(slot + 1, self.name):
            await self.prefix.clear_leases(mine, self.name)
            mine.clear()
            return False
        mine.append(slot + 1)
        return True

    async def _keep(self, mine: list[int]) -> None:
        """Take the slot after the last one whenever the last one has begun."""
        while True:
            if self._slot() >= mine[-1] and await self.prefix.take_lease(mine[-1] + 1, self.name):
                mine.append(mine[-1] + 1)
            await asyncio.sleep(self.slot_seconds / 4)
