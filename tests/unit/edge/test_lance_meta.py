"""The description of a collection, and its log."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from upheld.edge.lance.meta import FORMAT, LOGGED, Meta, unpacked
from upheld.edge.lance.storage import Prefix, Root
from upheld.errors import EngineError

FIRST = Meta("minilm", 384, "tables-a")
BUILDING = replace(FIRST, generation=1, building=Meta("larger", 768, "tables-b"), closing=True)


@pytest.fixture
def prefix(tmp_path: Path) -> Prefix:
    return Root.at(str(tmp_path), None).prefix("shelf")


@pytest.mark.parametrize(("meta", "format"), [(FIRST, FORMAT), (BUILDING, LOGGED)])
def test_what_is_packed_is_unpacked(meta: Meta, format: int) -> None:
    assert unpacked(meta.packed(format)) == (format, meta)


def test_a_collection_that_was_never_re_embedded_is_readable_by_0_1() -> None:
    fields = {"format": 1, "embedder": "minilm", "dimension": 384, "tables": "tables-a"}
    assert json.loads(FIRST.packed(FORMAT)) == fields


async def test_the_last_entry_of_the_log_counts(prefix: Prefix) -> None:
    assert await prefix.read_meta() is None
    assert await prefix.make_meta(FIRST) == FIRST
    assert await prefix.newer_meta(0) is None
    for generation in range(1, 12):  # 10 comes after 9
        assert await prefix.append_meta(replace(BUILDING, generation=generation))
    assert await prefix.read_meta() == replace(BUILDING, generation=11)
    assert await prefix.newer_meta(3) == replace(BUILDING, generation=11)
    assert await prefix.newer_meta(11) is None


async def test_one_of_two_that_append_wins(prefix: Prefix) -> None:
    await prefix.make_meta(FIRST)
    entries = [replace(BUILDING, switched_at=number) for number in range(8)]
    won = await asyncio.gather(*map(prefix.append_meta, entries))
    assert sum(won) == 1
    winner = entries[won.index(True)]
    assert await prefix.read_meta() == winner
    assert await prefix.append_meta(winner)  # the response was lost, and it is sent again


async def test_a_version_that_knows_no_log_is_kept_out(prefix: Prefix) -> None:
    await prefix.make_meta(FIRST)
    await prefix.append_meta(BUILDING)
    found = await prefix._store().get_async("meta.json")
    assert json.loads(bytes(await found.bytes_async()))["format"] == LOGGED


@pytest.mark.parametrize(
    "content",
    [b"{", b"[]", b'{"format": 1}', b'{"format": 9, "new": 1}', b'{"format": 1, "other": 2}'],
)
async def test_what_is_no_description_is_refused(prefix: Prefix, content: bytes) -> None:
    await prefix._store(make=True).put_async("meta.json", content)
    with pytest.raises(EngineError):
        await prefix.read_meta()
