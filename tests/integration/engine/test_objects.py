"""Bytes by name, in a folder and in object storage alike."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from tests.integration.places import Place
from upheld.edge.objects import Objects
from upheld.errors import NotFoundError


async def pieces(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


async def broken() -> AsyncIterator[bytes]:
    yield b"half"
    raise ConnectionResetError("left")


@pytest.fixture
def objects(place: Place) -> Objects:
    return Objects.at(place.root, place.storage_options)


async def test_what_is_put_is_there_until_it_is_deleted(objects: Objects) -> None:
    assert await objects.listed() == []
    await objects.put("a/one", pieces(b"1", b"2"))
    await objects.put("b/two", pieces(b"3"))
    assert await objects.get("a/one") == b"12"
    assert b"".join([part async for part in objects.stream("a/one")]) == b"12"
    (found,) = await objects.listed("a")
    assert found.name == "a/one"
    assert abs(datetime.now(UTC) - found.changed_at) < timedelta(minutes=5)
    await objects.delete(["a/one", "a/none"])
    assert [each.name for each in await objects.listed()] == ["b/two"]
    with pytest.raises(NotFoundError):
        await objects.get("a/one")


async def test_cleared_there_is_nothing_left_and_its_neighbour_stays(place: Place) -> None:
    one, other = (
        Objects.at(f"{place.root}/{name}", place.storage_options) for name in ("one", "one-more")
    )
    for objects in (one, other):
        for name in ("a", "_uploads/b/c"):
            await objects.put(name, pieces(b"1"))
    assert await one.clear() == 2
    assert await one.listed() == []
    assert await one.clear() == 0
    assert len(await other.listed()) == 2


async def test_half_an_object_is_none(objects: Objects) -> None:
    with pytest.raises(Exception, match="Writing an object failed"):
        await objects.put("a/one", broken())
    assert await objects.listed() == []
    with pytest.raises(NotFoundError):
        await objects.get("a/one")
