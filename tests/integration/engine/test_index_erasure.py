"""What is deleted or replaced is in no byte under the prefix after `maintain`."""

from __future__ import annotations

import random

from tests.integration.places import Place
from upheld.testing.index_samples import OWNER, made
from upheld.types import content_hash

MARKER = "xyzzyplugh"


def holding(place: Place, *needles: str) -> list[str]:
    wanted = [needle.encode() for needle in needles]
    return [path for path, data in place.objects().items() if any(n in data for n in wanted)]


def noise(count: int) -> list[str]:
    words = random.Random(7)
    return [" ".join(f"w{words.randrange(3000)}" for _ in range(30)) for _ in range(count)]


async def test_a_deleted_document_is_in_no_byte(place: Place) -> None:
    index = await place.open()
    secret = f"secret {MARKER}"
    marked = made(
        f"id-{MARKER}",
        secret,
        title=f"title {MARKER}",
        labels=[f"label-{MARKER}"],
        headings=(f"heading {MARKER}",),
    )
    fillers = [made(f"d{n}", text) for n, text in enumerate(noise(400))]
    await index.upsert("shelf", [*fillers[:200], marked, *fillers[200:]])
    await index.maintain("shelf")  # so that it is in every index, too
    await index.upsert("shelf", [made("later", "rows of another fragment")])
    needles = (MARKER, content_hash(secret))
    kinds = {path.split("/")[2] for path in holding(place, *needles)}
    assert kinds >= {"documents.lance", "passages.lance", "texts.lance"}  # the search can find it
    assert await index.delete("shelf", [marked.document.id]) == 1
    await index.maintain("shelf")
    assert holding(place, *needles) == []
    assert len(await index.documents(OWNER)) == 401
    assert len(await index.bm25("w1 w2 w3 w4 w5", OWNER, 500)) > 1
    await index.close()


async def test_a_replaced_text_is_in_no_byte(place: Place) -> None:
    index = await place.open()
    await index.upsert("shelf", [made("a", f"old {MARKER}"), made("b", "bystander")])
    await index.maintain("shelf")
    assert holding(place, MARKER)
    await index.upsert("shelf", [made("a", "new text")])
    await index.maintain("shelf")
    assert holding(place, MARKER) == []
    assert len(await index.bm25("new bystander", OWNER, 5)) == 2
    await index.close()


async def test_the_only_document_leaves_nothing_behind(place: Place) -> None:
    index = await place.open()
    await index.upsert("shelf", [made(f"id-{MARKER}", MARKER, labels=[MARKER])])
    await index.maintain("shelf")
    await index.delete("shelf", [f"id-{MARKER}"])
    await index.maintain("shelf")
    assert holding(place, MARKER) == []
    assert await index.bm25(MARKER, OWNER, 5) == []
    await index.close()


async def test_maintain_that_was_killed_is_finished_by_the_next(place: Place) -> None:
    """The note of what to erase outlives a run that dies before the indexes are built anew."""
    index = await place.open()
    await index.upsert("shelf", [made("a", f"secret {MARKER}"), made("b", "bystander")])
    await index.maintain("shelf")
    await index.delete("shelf", ["a"])
    # As far as a killed run gets: compacted and pruned, the index not built anew.
    collection = await index._made("shelf")
    for table in (collection.passages, collection.texts, collection.documents):
        await table.optimize()
    assert await collection.prefix.owed_erasures(collection.meta.tables)
    await index.maintain("shelf")
    assert holding(place, MARKER) == []
    assert await collection.prefix.owed_erasures(collection.meta.tables) == []
    await index.close()


async def test_no_history_piles_up(place: Place) -> None:
    index = await place.open()
    for round in range(6):
        await index.upsert("shelf", [made(f"d{n}", f"text {n} {round}") for n in range(5)])
    await index.maintain("shelf")
    first = len(place.objects())
    for round in range(6):
        await index.upsert("shelf", [made(f"d{n}", f"text {n} {round}") for n in range(5)])
    await index.maintain("shelf")
    assert len(place.objects()) <= first
    assert (await index.statistics("shelf")).fragments == 1
    await index.close()
