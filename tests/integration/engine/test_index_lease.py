"""One process maintains a collection at a time, and one that dies does not block it for long."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest

from tests.integration.places import Place
from upheld.edge.lance.lease import Lease
from upheld.edge.lance.storage import Prefix, Root
from upheld.testing.index_samples import OWNER, made

SLOT = 0.4


@pytest.fixture
async def prefix(place: Place) -> Prefix:
    index = await place.open()
    await index.upsert(OWNER.collection, [made("a", "The tower opens at nine.")])
    await index.close()
    return Root.at(place.root, place.storage_options).prefix(OWNER.collection)


@dataclass
class Working:
    """Counts who works at the same time."""

    now: int = 0
    most: int = 0

    async def __call__(self, lease: Lease, seconds: float) -> None:
        async with lease.held(wait=True) as ours:
            assert ours
            self.now += 1
            self.most = max(self.most, self.now)
            await asyncio.sleep(seconds)
            self.now -= 1


async def test_only_one_works_also_longer_than_its_first_slots(prefix: Prefix) -> None:
    working, lease = Working(), Lease(prefix, SLOT)
    await asyncio.gather(working(lease, 4 * SLOT), working(lease, 0.01), working(lease, 0.01))
    assert working.most == 1


async def test_who_does_not_wait_is_told(prefix: Prefix) -> None:
    lease = Lease(prefix, SLOT)
    async with lease.held(wait=True), lease.held(wait=False) as second:
        assert not second
    async with lease.held(wait=False) as third:
        assert third


async def test_a_holder_that_died_holds_nothing_after_its_slots(prefix: Prefix) -> None:
    lease = Lease(prefix, SLOT)
    slot = int(lease.clock() / SLOT)
    assert await prefix.take_lease(slot)
    assert await prefix.take_lease(slot + 1)
    async with asyncio.timeout(20 * SLOT), lease.held(wait=True) as ours:
        assert ours


async def test_no_lease_is_left_behind(place: Place, prefix: Prefix) -> None:
    assert await prefix.take_lease(7)  # of somebody who died long ago
    async with Lease(prefix, SLOT).held(wait=True):
        assert any("/lease/" in path for path in place.objects())
    assert not any("/lease/" in path for path in place.objects())


async def test_maintenance_is_left_to_another(place: Place, prefix: Prefix) -> None:
    index = await place.open()
    async with Lease(prefix).held(wait=True):
        assert (await index.maintain(OWNER.collection, wait=False)).by_another
    assert not (await index.maintain(OWNER.collection, wait=False)).by_another
    await index.close()
