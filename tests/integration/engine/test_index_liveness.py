"""The commit protocol: readers see live commits only, whatever killed or racing writers left."""

from __future__ import annotations

import asyncio

import pytest

from tests.integration.places import Place
from upheld.edge.lance import collection as lance_collection
from upheld.edge.lance import write
from upheld.edge.lance.failures import newest
from upheld.edge.lance.index import LanceIndex
from upheld.ports import IndexedDocument
from upheld.testing.index_samples import DIMENSION, OWNER, made


async def leave_orphans(index: LanceIndex, documents: list[IndexedDocument], commit: str) -> None:
    """What a writer leaves that is killed before it acknowledges."""
    await write.add_rows(await index._made("shelf"), documents, commit)


async def found(index: LanceIndex, word: str, limit: int = 50) -> list[str]:
    return [hit.passage.text for hit in await index.bm25(word, OWNER, limit)]


async def test_orphans_are_invisible_and_do_not_crowd_out(place: Place) -> None:
    index = await place.open()
    live = [made(f"d{n}", f"zebra crossing {n}") for n in range(6)]
    await index.upsert("shelf", live)
    # Dead rows that rank above every live one, many more than are asked for.
    dead = [made(f"d{n % 6}", "zebra") for n in range(6)]
    for attempt in range(5):
        await leave_orphans(index, dead, f"killed-{attempt}")
    await leave_orphans(index, [made("never", "zebra")], "killed")
    expected = sorted(each.passages[0].text for each in live)
    assert sorted(await found(index, "zebra", 6)) == expected
    assert sorted(await found(index, "zebra", 50)) == expected
    assert len(await found(index, "zebra", 2)) == 2
    vector = live[0].vectors[0]  # type: ignore[index]  # it has vectors
    assert len(await index.nearest(vector, OWNER, 6)) == 6
    assert len(await index.hybrid("zebra", vector, OWNER, 6)) == 6
    assert await index.passages([dead[0].passages[0].id], OWNER) == []
    stats = await index.statistics("shelf")
    assert (stats.documents, stats.passages, stats.rows) == (6, 6, 37)
    await index.maintain("shelf")  # younger than the grace: a writer may still be under way
    assert (await index.statistics("shelf")).rows == 37
    assert (await index.maintain("shelf", grace=0)).removed_rows == 62
    assert (await index.statistics("shelf")).rows == 6
    assert sorted(await found(index, "zebra", 6)) == expected
    await index.close()


async def test_a_commit_under_way_survives_other_writers_and_maintain(place: Place) -> None:
    index, other = await place.open(), await place.open()
    await index.upsert("shelf", [made("a", "first")])
    slow = [made("a", "slow writer")]
    await leave_orphans(index, slow, "slow")
    await other.upsert("shelf", [made("a", "quick writer")])
    await other.maintain("shelf")
    assert await found(other, "writer") == ["quick writer"]
    await write.acknowledge(await index._made("shelf"), slow, "slow")
    await other.documents(OWNER)  # looks at once
    assert await found(other, "writer") == ["slow writer"]
    assert await other.document_text("a", OWNER) == "slow writer"
    await index.close()
    await other.close()


async def test_a_reader_with_an_old_view_still_finds_what_replaced_it(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second look is taken when a hit is not live, even if the view is young enough."""
    writer, reader = await place.open(), await place.open()
    await writer.upsert("shelf", [made("a", "word old"), made("b", "word bystander")])
    assert sorted(await found(reader, "word")) == ["word bystander", "word old"]
    monkeypatch.setattr(lance_collection, "FRESH_SECONDS", 3600.0)
    await writer.upsert("shelf", [made("a", "word new")])
    collection = await reader._made("shelf")
    await newest(collection.documents)  # one table has moved, the other has not
    collection.wrote()
    assert sorted(await found(reader, "word")) == ["word bystander", "word new"]
    await writer.close()
    await reader.close()


async def test_a_reader_outlives_maintain(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of the version that a reader holds vanish under it; it reads the new ones."""
    writer, reader = await place.open(), await place.open()
    await writer.upsert("shelf", [made(f"d{n}", f"word {n}") for n in range(20)])
    assert len(await found(reader, "word")) == 20
    monkeypatch.setattr(lance_collection, "FRESH_SECONDS", 3600.0)
    await writer.delete("shelf", ["d1"])
    await writer.maintain("shelf")
    assert len(await found(reader, "word")) == 19
    await writer.close()
    await reader.close()


async def test_many_documents_are_looked_up_and_not_all_held(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lance_collection, "KNOWN_DOCUMENTS", 3)
    index = await place.open()
    await index.upsert("shelf", [made(f"d{n}", f"word {n}") for n in range(12)])
    await leave_orphans(index, [made("d1", "word")], "killed")
    for _ in range(2):
        assert len(await found(index, "word")) == 12
    await index.upsert("shelf", [made("d1", "word again")])
    assert "word again" in await found(index, "word")
    await index.close()


async def test_racing_writers_of_one_document_leave_one(place: Place) -> None:
    indexes = [await place.open() for _ in range(4)]
    await asyncio.gather(
        *(index.upsert("shelf", [made("a", f"word by {n}")]) for n, index in enumerate(indexes))
    )
    (info,) = await indexes[0].documents(OWNER)
    texts = set()
    for index in indexes:
        await index.documents(OWNER)
        (text,) = await found(index, "word")
        texts.add(text)
        assert await index.document_text("a", OWNER) == text
    assert len(texts) == 1
    await indexes[0].maintain("shelf", grace=0)
    assert (await indexes[0].statistics("shelf")).rows == info.passages == 1
    for index in indexes:
        await index.close()


async def test_racing_makers_agree(place: Place) -> None:
    opened = [await place.open(f"embedder-{n}", DIMENSION) for n in range(4)]
    results = await asyncio.gather(
        *(index.upsert("shelf", [made(f"d{n}", "word")]) for n, index in enumerate(opened)),
        return_exceptions=True,
    )
    refused = [result for result in results if result is not None]
    assert len(refused) == 3
    assert {type(error).__name__ for error in refused} == {"EmbedderMismatchError"}
    for index in opened:
        await index.close()
