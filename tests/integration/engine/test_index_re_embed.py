"""Re-embedding: vectors of another embedder replace the old ones, while others read and write."""

from __future__ import annotations

import asyncio
import itertools
import json
import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from tests.integration.engine.index_re_embedder import NewEmbedder
from tests.integration.places import Place
from upheld.edge.lance import copying
from upheld.edge.lance.failures import MovedError
from upheld.edge.lance.index import LanceIndex
from upheld.edge.lance.lease import Lease
from upheld.edge.lance.storage import RE_EMBED
from upheld.errors import EmbedderMismatchError, NotFoundError
from upheld.ports import IndexedDocument
from upheld.testing.index_samples import OWNER, ids, made, unit

OLD = unit(1, 0, 0, 0)


async def opened_anew(place: Place) -> LanceIndex:
    return await place.open(NewEmbedder.identity, NewEmbedder.dimension)


async def check(place: Place, wanted: dict[str, IndexedDocument]) -> None:
    """The collection holds just these documents, each passage once, with the new vectors."""
    index = await opened_anew(place)
    infos = {info.id: info.version for info in await index.documents(OWNER)}
    assert infos == {id: each.document.version for id, each in wanted.items()}
    passages = {passage.id: passage for each in wanted.values() for passage in each.passages}
    for hits in (
        await index.bm25("common", OWNER, 10 * len(passages)),
        await index.nearest(np.eye(NewEmbedder.dimension)[0], OWNER, 10 * len(passages)),
    ):
        assert sorted(hit.passage.id for hit in hits) == sorted(passages)
        assert all(hit.passage == passages[hit.passage.id] for hit in hits)
    for each in wanted.values():
        assert await index.document_text(each.document.id, OWNER) == each.document.text
        vector = (await NewEmbedder().embed([each.passages[0].searchable]))[0]
        (best, *_) = await index.nearest(vector, OWNER, 1)
        assert best.score == pytest.approx(1.0, abs=1e-3)
    assert (await index.statistics("shelf")).embedder == NewEmbedder.identity
    await index.close()


def some(count: int, edition: int = 0) -> dict[str, IndexedDocument]:
    documents = [
        made(
            f"d{n}",
            f"common alpha{n} edition{edition}",
            f"common beta{n}",
            labels=["board"] if n % 3 == 0 else (),
            headings=("Part", f"{n}"),
            places=[(4, 2, ("Inside",))],
        )
        for n in range(count)
    ]
    return {each.document.id: each for each in documents}


async def test_a_collection_gets_the_vectors_of_another_embedder(place: Place) -> None:
    index, wanted = await place.open(), some(7)
    await index.upsert("shelf", list(wanted.values()))
    seen: list[tuple[int, int]] = []
    done = await index.re_embed("shelf", NewEmbedder(), lambda *so_far: seen.append(so_far))
    assert (done.documents, done.passages, done.embedder) == (7, 14, NewEmbedder.identity)
    assert seen[0] == (0, 14)
    assert seen[-1] == (14, 14)
    await check(place, wanted)
    again = await index.re_embed("shelf", NewEmbedder())
    assert (again.documents, again.passages) == (0, 0)
    await index.close()


async def test_tables_of_0_1_and_without_vectors_are_re_embedded(place: Place) -> None:
    index = await place.open(None, None)
    document = replace(made("d0", "common words", "common more"), vectors=None)
    empty = replace(made("d1"), passages=(), vectors=None)
    await index.upsert("shelf", [document, empty])
    collection = await index._made("shelf")
    await collection.passages.drop_columns(["places"])
    await index.re_embed("shelf", NewEmbedder())
    new = await opened_anew(place)
    hits = await new.bm25("common", OWNER, 9)
    assert {hit.passage for hit in hits} == set(document.passages)
    assert [info.id for info in await new.documents(OWNER)] == ["d0", "d1"]
    assert len(await new.nearest(np.eye(NewEmbedder.dimension)[0], OWNER, 9)) == 2
    assert len(await index.bm25("common", OWNER, 9)) == 2  # without an embedder all is as before
    for each in (index, new):
        await each.close()


async def test_an_index_with_the_old_embedder_goes_on_by_words(place: Place) -> None:
    index, reader = await place.open(), await place.open()
    await index.upsert("shelf", list(some(3).values()))
    assert len(await reader.hybrid("common", OLD, OWNER, 9)) == 6
    await index.re_embed("shelf", NewEmbedder())
    await asyncio.sleep(1.1)  # the freshness bound
    new = await opened_anew(place)
    late = made("late", "common latecomer")
    await new.upsert("shelf", [replace(late, vectors=await NewEmbedder().embed(["latecomer"]))])
    await asyncio.sleep(1.1)
    assert ids(await reader.bm25("latecomer", OWNER, 9)) == ["late"]
    for refused in (
        reader.hybrid("common", OLD, OWNER, 9),
        reader.nearest(OLD, OWNER, 9),
        reader.upsert("shelf", [made("d1", "common new")]),
    ):
        with pytest.raises(EmbedderMismatchError, match=r"re-embed"):
            await refused
    assert await reader.delete("shelf", ["late"]) == 1
    assert "late" not in {info.id for info in await new.documents(OWNER)}
    for each in (index, reader, new):
        await each.close()


async def test_before_it_the_new_embedder_is_refused(place: Place) -> None:
    index = await place.open()
    await index.upsert("shelf", list(some(2).values()))
    new = await opened_anew(place)
    with pytest.raises(EmbedderMismatchError, match="upheld re-embed"):
        await new.bm25("common", OWNER, 5)
    await new.re_embed("shelf", NewEmbedder())
    assert len(await new.bm25("common", OWNER, 5)) == 4
    with pytest.raises(NotFoundError):
        await new.re_embed("another", NewEmbedder())
    await index.close()
    await new.close()


async def test_old_tables_are_removed_after_the_grace(place: Place) -> None:
    index, wanted = await place.open(), some(4)
    await index.upsert("shelf", list(wanted.values()))
    reader = await place.open()
    assert len(await reader.bm25("common", OWNER, 20)) == 8
    (old,) = tables_of(place)
    await index.re_embed("shelf", NewEmbedder())
    await index.maintain("shelf")
    assert old in tables_of(place)
    await index.maintain("shelf", grace=0)
    assert len(tables_of(place)) == 1
    assert old not in tables_of(place)
    assert len(await reader.bm25("common", OWNER, 20)) == 8  # its tables are gone
    await check(place, wanted)
    await index.close()
    await reader.close()


def tables_of(place: Place) -> set[str]:
    parts = (part for path in place.objects() for part in path.split("/"))
    return {part for part in parts if part.startswith("tables-") and "." not in part}


async def test_searches_and_writes_go_on_meanwhile(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No search fails or misses a document; no acknowledged write is lost or doubled."""
    monkeypatch.setattr(copying, "GROUP_DOCUMENTS", 4)
    index, wanted = await place.open(), some(24)
    await index.upsert("shelf", list(wanted.values()))
    await index.maintain("shelf")
    stop, searches, refused = asyncio.Event(), 0, 0

    async def search(reader: LanceIndex) -> None:
        nonlocal searches
        while not stop.is_set():
            try:
                hits = await reader.hybrid("beta20", OLD, OWNER, 50)
            except EmbedderMismatchError:  # after the switch: what `Search` does then
                hits = await reader.bm25("beta20", OWNER, 50)
            passages = [hit.passage.id for hit in hits]
            assert len(passages) == len(set(passages))
            assert "d20" in {hit.passage.document_id for hit in hits}
            searches += 1

    async def write(writer: LanceIndex) -> None:
        nonlocal refused
        for number in itertools.count():
            if stop.is_set():
                return
            # Some are new, some replaced, some deleted.
            chosen = made(f"d{number % 40}", f"common alpha edition{number}", "common more")
            id = chosen.document.id
            if id == "d20":
                continue
            if number % 5 == 4:
                await writer.delete("shelf", [id])
                wanted.pop(id, None)
                continue
            before = wanted.pop(id, None)
            try:
                await writer.upsert("shelf", [chosen])
            except EmbedderMismatchError:
                refused += 1
                # It was not acknowledged, so either version may be there.
                now = {each.id: each.version for each in await writer.documents(OWNER)}
                for each in (before, chosen):
                    if each is not None and now.get(id) == each.document.version:
                        wanted[id] = each
                return
            wanted[id] = chosen

    readers = [await place.open(), await place.open()]
    working = [asyncio.create_task(search(each)) for each in readers]
    writer = await place.open()
    working.append(asyncio.create_task(write(writer)))
    await asyncio.sleep(0.3)
    await index.re_embed("shelf", NewEmbedder())
    await asyncio.sleep(1.5)  # readers and the writer move within the freshness bound
    stop.set()
    await asyncio.gather(*working)
    assert searches > 3
    assert refused == 1
    await check(place, wanted)
    await index.maintain("shelf", grace=0)
    await check(place, wanted)
    rows = (await index.statistics("shelf")).rows
    assert rows == sum(len(each.passages) for each in wanted.values())
    for each in (index, writer, *readers):
        await each.close()


def start(place: Place) -> subprocess.Popen[str]:
    module = "tests.integration.engine.index_re_embedder"
    options = json.dumps(place.storage_options)
    command = [sys.executable, "-m", module, place.root, options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def kill_after(process: subprocess.Popen[str], groups: int) -> int:
    """Kill it when it has embedded some groups; returns how many passages it had embedded."""
    assert process.stdout is not None
    line = "0"
    for _ in range(groups + 1):  # the first line comes before the first group
        line = process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    return int(line)


async def test_a_killed_run_is_continued(place: Place) -> None:
    index, wanted = await place.open(), some(30)
    await index.upsert("shelf", list(wanted.values()))
    for groups in (3, 2):
        done = await asyncio.to_thread(kill_after, start(place), groups)
        assert 0 < done < 60
        count = sum(len(each.passages) for each in wanted.values())
        assert len(await index.hybrid("common", OLD, OWNER, 100)) == count
        wanted["d29"] = made("d29", f"common changed after {groups}")
        await index.upsert("shelf", [wanted["d29"]])
    await index.delete("shelf", ["d0"])
    del wanted["d0"]
    ended = await index.re_embed("shelf", NewEmbedder())
    assert 0 < ended.documents < 29  # what the killed runs had copied is not copied again
    assert len(tables_of(place)) == 2
    await check(place, wanted)
    await index.maintain("shelf", grace=0)
    await check(place, wanted)
    assert (await index.statistics("shelf")).rows == 28 * 2 + 1
    await index.close()


async def test_a_writer_opens_tables_again_that_a_dead_process_closed(place: Place) -> None:
    index, wanted = await place.open(), some(3)
    await index.upsert("shelf", list(wanted.values()))
    prefix = (await index._made("shelf")).prefix
    await close_tables(index)
    async with Lease(prefix, name=RE_EMBED).held(wait=True):
        late = made("late", "common late")
        writing = asyncio.create_task(index.upsert("shelf", [late]))
        await asyncio.sleep(0.5)
        assert not writing.done()
    await asyncio.wait_for(writing, 20)
    meta = await prefix.read_meta()
    assert meta is not None
    assert not meta.closing
    await index.re_embed("shelf", NewEmbedder())
    await check(place, wanted | {"late": late})
    await index.close()


async def close_tables(index: LanceIndex) -> None:
    """As far as a run gets that is killed before its last step."""
    collection = await index._made("shelf")
    building = replace(collection.meta, embedder="another", tables="tables-unused")
    closed = replace(collection.meta, generation=1, building=building, closing=True)
    assert await collection.prefix.append_meta(closed)


async def test_a_write_between_the_last_look_and_the_switch_is_repeated(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, wanted = await place.open(), some(3)
    await index.upsert("shelf", list(wanted.values()))
    writer = await place.open(None, None)
    writing: list[asyncio.Task[int]] = []
    await writer.documents(OWNER)
    compare = copying.Copying.compare

    async def compared(self: copying.Copying) -> copying.Difference:
        found = await compare(self)
        if self.old.meta.closing and not found and not writing:
            writing.append(asyncio.create_task(writer.delete("shelf", ["d0"])))
            async with asyncio.timeout(20):
                while "d0" in {each.id for each in await index.documents(OWNER)}:
                    continue  # until it is written, and waits
        return found

    monkeypatch.setattr(copying.Copying, "compare", compared)
    await index.re_embed("shelf", NewEmbedder())
    assert await writing[0] == 1
    del wanted["d0"]
    await check(place, wanted)
    await index.close()
    await writer.close()


async def test_two_runs_at_once_do_it_once(place: Place) -> None:
    index, other, wanted = await place.open(), await place.open(), some(5)
    await index.upsert("shelf", list(wanted.values()))
    both = await asyncio.gather(
        index.re_embed("shelf", NewEmbedder()), other.re_embed("shelf", NewEmbedder())
    )
    assert sorted(each.documents for each in both) == [0, 5]
    await check(place, wanted)
    await index.close()
    await other.close()


async def test_a_run_that_lost_its_lease_changes_nothing_after_the_switch(place: Place) -> None:
    """It compared before the switch, and copies after it."""
    index, wanted = await place.open(), some(4)
    await index.upsert("shelf", list(wanted.values()))
    prefix = (await index._made("shelf")).prefix
    meta = await prefix.read_meta()
    assert meta is not None
    new = replace(meta, embedder=NewEmbedder.identity, dimension=6, tables="tables-new")
    named = replace(meta, generation=1, building=new)
    assert await prefix.append_meta(named)
    lost = await copying.Copying.open("shelf", prefix, named, NewEmbedder(), lambda *_: None)
    seen = await lost.compare()
    await index.re_embed("shelf", NewEmbedder())
    with pytest.raises(MovedError):
        await lost.copy(seen)
    with pytest.raises(MovedError):
        await lost.compare()
    lost.close()
    await check(place, wanted)
    assert (await index.statistics("shelf")).rows == 8
    await index.close()
