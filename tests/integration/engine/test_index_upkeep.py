"""Upkeep: indexes by size, the new tail, corrupt and unreachable storage."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest

from tests.integration.places import Place
from upheld.edge.lance import upkeep
from upheld.edge.lance.index import LanceIndex
from upheld.errors import EngineError, StorageError, UsageError
from upheld.ports import IndexedDocument
from upheld.testing.index_samples import DIMENSION, OWNER, made, unit


def spread(count: int, prefix: str = "d") -> list[IndexedDocument]:
    chance = np.random.default_rng(3)
    vectors = chance.normal(size=(count, DIMENSION))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return [
        made(f"{prefix}{n}", f"word{n} common", vectors=[vectors[n].tolist()]) for n in range(count)
    ]


async def index_of(index: LanceIndex) -> dict[str, str]:
    collection = await index._made("shelf")
    return {each.columns[0]: each.index_type for each in await collection.passages.list_indices()}


async def test_a_vector_index_is_made_from_the_size_where_it_pays(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "ANN_ROWS", 400)
    index = await place.open()
    documents = spread(600)
    await index.upsert("shelf", documents[:300])
    await index.maintain("shelf")
    assert await index_of(index) == {"searchable": "FTS", "id": "BTree", "document_id": "BTree"}
    await index.upsert("shelf", documents[300:])
    done = await index.maintain("shelf", loading=True)
    assert set(done.indexes_built) == {"passages.labels", "passages.labelled"}
    done = await index.maintain("shelf")
    assert "passages.vector" in done.indexes_built
    assert (await index_of(index))["vector"] == "IvfHnswSq"
    right = 0
    for document in documents[::20]:
        (hit,) = await index.nearest(document.vectors[0], OWNER, 1)  # type: ignore[index]
        right += hit.passage.document_id == document.document.id
        assert hit.score == pytest.approx(1.0, abs=1e-3)
    assert right >= 29  # of 30: the index is approximate
    monkeypatch.setattr(upkeep, "MOST_SEGMENTS", 1)
    await index.upsert("shelf", spread(40, "more"))
    assert "passages.vector" not in (await index.maintain("shelf", loading=True)).indexes_built
    assert (await index.maintain("shelf")).indexes_built == ("passages.vector",)
    assert (await index.maintain("shelf")).indexes_built == ()
    late = spread(3, "late")
    await index.upsert("shelf", late)
    hits = await index.nearest(late[0].vectors[0], OWNER, 5)  # type: ignore[index]
    assert "late0" in {hit.passage.document_id for hit in hits}
    await index.delete("shelf", ["d0", "late0"])
    assert "passages.vector" in (await index.maintain("shelf")).indexes_built
    hits = await index.nearest(late[0].vectors[0], OWNER, 5)  # type: ignore[index]
    assert not {"late0", "d0"} & {hit.passage.document_id for hit in hits}
    assert len(hits) == 5
    await index.close()


async def test_the_tail_is_indexed_and_fragments_are_joined(place: Place) -> None:
    index = await place.open()
    for document in spread(8):
        await index.upsert("shelf", [document])
    before = await index.statistics("shelf")
    assert (before.unindexed, before.fragments) == (8, 8)
    await index.maintain("shelf")
    after = await index.statistics("shelf")
    assert (after.unindexed, after.fragments, after.rows) == (0, 1, 8)
    await index.close()


async def test_words_are_stemmed_and_stop_words_do_not_count(place: Place) -> None:
    index = await place.open()
    long = "pneumonoultramicroscopicsilicovolcanoconiosis"
    await index.upsert("shelf", [made("a", f"The runners were running to {long}")])
    for query in ("run", "runner", "RUNS", long):
        assert await index.bm25(query, OWNER, 5), query
    assert await index.bm25("the to were", OWNER, 5) == []
    await index.maintain("shelf")
    assert await index.bm25(long, OWNER, 5)
    await index.close()


async def test_reads_go_on_while_others_write_and_maintain(place: Place) -> None:
    """At every moment a reader sees each document exactly once."""
    writer, keeper, reader = [await place.open() for _ in range(3)]
    documents = spread(12)
    await writer.upsert("shelf", documents)
    stop = asyncio.Event()

    async def rewrite() -> None:
        for edition in range(6):
            for first in range(0, 12, 4):
                batch = [made(f"d{n}", f"common edition{edition}") for n in range(first, first + 4)]
                await writer.upsert("shelf", batch)
        stop.set()

    async def keep() -> None:
        while not stop.is_set():
            await keeper.maintain("shelf")

    async def read() -> int:
        reads = 0
        while not stop.is_set():
            hits = await reader.bm25("common", OWNER, 50)
            assert sorted(h.passage.document_id for h in hits) == sorted(f"d{n}" for n in range(12))
            reads += 1
        return reads

    _, _, reads = await asyncio.gather(rewrite(), keep(), read())
    assert reads > 3
    assert {info.passages for info in await reader.documents(OWNER)} == {1}
    for each in (writer, keeper, reader):
        await each.close()


async def test_storage_that_cannot_be_reached_is_our_error() -> None:
    options = {"endpoint": "http://127.0.0.1:9", "allow_http": "true", "region": "us-east-1"}
    keys = {"aws_access_key_id": "x", "aws_secret_access_key": "x"}
    index = await LanceIndex.open("s3://nowhere/kb", storage_options=options | keys)
    with pytest.raises(StorageError) as failure:
        await index.bm25("word", OWNER, 5)
    assert failure.value.retryable


async def test_a_damaged_description_is_our_error(tmp_path: Path) -> None:
    place = Place(str(tmp_path))
    index = await place.open()
    await index.upsert("shelf", [made("a", "word")])
    await index.close()
    meta = tmp_path / "shelf" / "meta.json"
    good = meta.read_text()
    for bad in ("{", "[]", '{"format": 1}', good.replace('"format": 1', '"format": 3')):
        meta.write_text(bad)
        with pytest.raises(EngineError, match=r"format 3|not a collection"):
            await (await place.open()).bm25("word", OWNER, 5)


async def test_an_embedder_has_identity_and_dimension(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        await LanceIndex.open(str(tmp_path), embedder_identity="x")


async def test_tables_without_places_are_searched_and_get_them_with_the_next_write(
    place: Place,
) -> None:
    """Knowledge bases made before passages had places keep working."""
    index = await place.open()
    await index.upsert("shelf", [made("old", "Zebras graze here.")])
    collection = await index._made("shelf")
    await collection.passages.drop_columns(["places"])
    index = await place.open()
    (hit,) = await index.bm25("zebras", OWNER, 5)
    assert hit.passage.places == ()
    other = await place.open()  # opened before the column comes, read after
    assert len(await other.bm25("zebras", OWNER, 5)) == 1
    placed = made("new", "Lions sleep here.", places=((3, 2, ("Africa", "Cats")),))
    await index.upsert("shelf", [placed])
    await other.documents(OWNER)  # sees the newest version
    for each in (index, other, await place.open()):
        (hit,) = await each.bm25("lions", OWNER, 5)
        assert hit.passage == placed.passages[0]
        assert [hit.passage.places[0].heading_path] == [("Africa", "Cats")]
        assert len(await each.hybrid("zebras", unit(1, 0, 0, 0), OWNER, 5)) == 2
