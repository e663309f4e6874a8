"""What every `Index` must do; run on the fake, on a folder and on object storage.

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    async def test_conforms(check): await check(open_index)

`open_index(embedder, dimension)` opens the same storage each time it is called in one check.
"""

# ruff: noqa: D103  # the name of a check says what it checks
from __future__ import annotations

from upheld.errors import EmbedderMismatchError, NotFoundError, UsageError
from upheld.ports import Index, IndexedDocument
from upheld.testing.index_samples import (
    DIMENSION,
    EMBEDDER,
    OWNER,
    Check,
    OpenIndex,
    ids,
    made,
    opened,
    raises,
    unit,
)
from upheld.testing.index_visibility import CHECKS as VISIBILITY
from upheld.types import Scope


async def check_a_written_document_comes_back_whole(open_index: OpenIndex) -> None:
    index = await opened(open_index)
    given = made(
        "a",
        "The café opens at dawn.",
        "Étienne — 東京 🗼 sells tea.",
        title="Opening hours",
        labels=["public", "menu"],
        headings=("Chapter 1", "Hours"),
        places=((9, 1, ("Chapter 2",)), (30, None, ("Chapter 2", "東京 “tea”"))),
    )
    assert [len(passage.places) for passage in given.passages] == [1, 1]
    await index.upsert("shelf", [given])
    assert await index.passages([p.id for p in given.passages], OWNER) == list(given.passages)
    assert await index.document_passages("a", OWNER) == list(given.passages)
    assert await index.document_passages("it's", OWNER) == []
    text = await index.document_text("a", OWNER)
    assert text == given.document.text
    assert all(text[p.start : p.end] == p.text for p in given.passages)
    (info,) = await index.documents(OWNER)
    assert (info.id, info.version, info.passages) == ("a", given.document.version, 2)
    assert (info.uri, info.title, info.ingest_version) == ("file:a", "Opening hours", "test")
    assert (info.source_hash, info.labels) == ("source of a", frozenset({"public", "menu"}))
    stats = await index.statistics("shelf")
    assert (stats.documents, stats.passages, stats.embedder) == (1, 2, EMBEDDER)
    (hit,) = await index.bm25("tea", OWNER, 5)
    assert hit.passage == given.passages[1]
    assert hit.query == "tea"


async def check_new_rows_are_found_at_once(open_index: OpenIndex) -> None:
    index = await opened(open_index)
    for number in range(4):
        await index.upsert("shelf", [made(f"d{number}", f"zebra number{number}")])
        assert ids(await index.bm25(f"number{number}", OWNER, 5)) == [f"d{number}"]
        assert len(await index.bm25("zebra", OWNER, 10)) == number + 1
        assert len(await index.nearest(unit(1, 0, 0, 0), OWNER, 10)) == number + 1


async def check_words_match_without_case_or_accents(open_index: OpenIndex) -> None:
    index = await opened(open_index)
    await index.upsert("shelf", [made("a", "Crème à la Zürich"), made("b", "Plain bread")])
    assert ids(await index.bm25("CREME", OWNER, 5)) == ["a"]
    assert ids(await index.bm25("zurich?", OWNER, 5)) == ["a"]
    assert await index.bm25("", OWNER, 5) == []
    assert await index.bm25("absent", OWNER, 5) == []


async def check_title_and_headings_are_searched(open_index: OpenIndex) -> None:
    index = await opened(open_index)
    given = made("a", "It rains.", title="Weather", headings=("Coast", "Autumn"))
    await index.upsert("shelf", [given])
    for word in ("weather", "coast", "autumn", "rains"):
        (hit,) = await index.bm25(word, OWNER, 5)
        assert hit.passage.text == "It rains."


async def check_a_query_is_words_and_never_syntax(open_index: OpenIndex) -> None:
    index = await opened(open_index)
    await index.upsert("shelf", [made("a", "alpha beta"), made("b", "gamma delta")])
    for query in (
        'alpha AND "',
        "+alpha -beta",
        "alpha*",
        "alpha' OR '1'='1",
        "title:alpha",
        "(alpha",
    ):
        assert "a" in ids(await index.bm25(query, OWNER, 5)), query
    assert ids(await index.bm25("-alpha", OWNER, 5)) == ["a"]
    await index.bm25("\x00 \\ % _ \ud800", OWNER, 5)


async def check_replacing_leaves_only_the_new(open_index: OpenIndex) -> None:
    index = await opened(open_index)
    old, other = made("a", "ancient words", "more of them"), made("b", "bystander words")
    await index.upsert("shelf", [old, other])
    new = made("a", "modern words")
    await index.upsert("shelf", [new])
    assert await index.bm25("ancient", OWNER, 5) == []
    assert sorted(ids(await index.bm25("words", OWNER, 5))) == ["a", "b"]
    assert await index.passages([p.id for p in old.passages], OWNER) == []
    assert await index.document_passages("a", OWNER) == list(new.passages)
    assert await index.document_text("a", OWNER) == "modern words"
    assert await index.document_text("a", OWNER, new.document.version) == "modern words"
    await raises(NotFoundError, index.document_text("a", OWNER, old.document.version))
    stats = await index.statistics("shelf")
    assert (stats.documents, stats.passages) == (2, 2)


async def check_writing_twice_does_not_double(open_index: OpenIndex) -> None:
    index = await opened(open_index)
    given = made("a", "one thing", "another thing")
    for _ in range(3):
        await index.upsert("shelf", [given])
    await index.upsert("shelf", [given, given])
    assert len(await index.bm25("thing", OWNER, 50)) == 2
    assert len(await index.nearest(unit(1, 0, 0, 0), OWNER, 50)) == 2
    assert len(await index.documents(OWNER)) == 1


async def check_the_last_of_a_batch_wins(open_index: OpenIndex) -> None:
    index = await opened(open_index)
    await index.upsert("shelf", [made("a", "earlier"), made("a", "later")])
    assert await index.document_text("a", OWNER) == "later"
    assert await index.bm25("earlier", OWNER, 5) == []


async def check_deleting_forgets(open_index: OpenIndex) -> None:
    index = await opened(open_index)
    given = made("a", "alpha")
    await index.upsert("shelf", [given, made("b", "beta")])
    assert await index.delete("shelf", ["a", "a", "unknown", "it's"]) == 1
    assert await index.delete("shelf", ["a"]) == 0
    assert await index.delete("shelf", []) == 0
    assert await index.bm25("alpha", OWNER, 5) == []
    assert ids(await index.nearest(unit(1, 0, 0, 0), OWNER, 5)) == ["b"]
    assert await index.passages([given.passages[0].id], OWNER) == []
    assert [info.id for info in await index.documents(OWNER)] == ["b"]
    await raises(NotFoundError, index.document_text("a", OWNER))
    await index.upsert("shelf", [given])
    assert ids(await index.bm25("alpha", OWNER, 5)) == ["a"]


async def check_a_document_without_passages_is_kept(open_index: OpenIndex) -> None:
    index = await opened(open_index)
    await index.upsert("shelf", [made("empty")])
    (info,) = await index.documents(OWNER)
    assert (info.id, info.passages) == ("empty", 0)
    assert await index.document_text("empty", OWNER) == ""


async def check_nearest_ranks_by_cosine(open_index: OpenIndex) -> None:
    index = await opened(open_index)
    vectors = {"a": [1.0, 0.0, 0.0, 0.0], "b": [0.6, 0.8, 0.0, 0.0], "c": [-1.0, 0.0, 0.0, 0.0]}
    await index.upsert("shelf", [made(id, "x", vectors=[v]) for id, v in vectors.items()])
    hits = await index.nearest(unit(1, 0, 0, 0), OWNER, 9, query="asked")
    assert ids(hits) == ["a", "b", "c"]
    assert [round(hit.score, 5) for hit in hits] == [1.0, 0.6, -1.0]
    assert {hit.query for hit in hits} == {"asked"}
    assert ids(await index.nearest(unit(1, 0, 0, 0), OWNER, 1)) == ["a"]
    await raises(UsageError, index.nearest(unit(1, 0), OWNER, 9))


async def check_hybrid_finds_both_kinds(open_index: OpenIndex) -> None:
    index = await opened(open_index)
    far, near = [0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]
    await index.upsert(
        "shelf",
        [
            made("words", "the quokka sleeps", vectors=[far]),
            made("meaning", "a small marsupial rests", vectors=[near]),
            made("both", "quokka nap", vectors=[near]),
            *[made(f"noise{n}", f"noise {n}", vectors=[[0.0, 0.0, 1.0, 0.0]]) for n in range(40)],
        ],
    )
    hits = await index.hybrid("quokka", unit(*near), OWNER, 3)
    assert ids(hits)[0] == "both"
    assert sorted(ids(hits)) == ["both", "meaning", "words"]
    assert len({hit.passage.id for hit in hits}) == 3
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


async def check_passages_come_in_the_order_asked(open_index: OpenIndex) -> None:
    index = await opened(open_index)
    given = made('it\'s "odd" \\ 東', *[f"part {n}" for n in range(5)])
    await index.upsert("shelf", [given])
    ids = [passage.id for passage in given.passages]
    asked = [ids[3], "unknown", ids[0], ids[4], "x' OR '1'='1"]
    assert [p.id for p in await index.passages(asked, OWNER)] == [ids[3], ids[0], ids[4]]
    assert await index.passages([], OWNER) == []


async def check_what_does_not_exist_reads_as_empty(open_index: OpenIndex) -> None:
    index = await opened(open_index)
    nowhere = Scope("nowhere")
    assert await index.bm25("word", nowhere, 5) == []
    assert await index.nearest(unit(1, 0, 0, 0), nowhere, 5) == []
    assert await index.hybrid("word", unit(1, 0, 0, 0), nowhere, 5) == []
    assert await index.passages(["x"], nowhere) == []
    assert await index.documents(nowhere) == []
    assert await index.delete("nowhere", ["x"]) == 0
    assert (await index.statistics("nowhere")).documents == 0
    await index.maintain("nowhere")
    await index.upsert("nowhere", [])
    await raises(NotFoundError, index.document_text("x", nowhere))


async def check_an_emptied_collection_still_answers(open_index: OpenIndex) -> None:
    index = await opened(open_index)
    await index.upsert("shelf", [made("a", "word")])
    await index.delete("shelf", ["a"])
    await index.maintain("shelf")
    assert await index.bm25("word", OWNER, 5) == []
    assert await index.hybrid("word", unit(1, 0, 0, 0), OWNER, 5) == []
    assert (await index.statistics("shelf")).passages == 0
    await index.upsert("shelf", [made("a", "word")])
    assert ids(await index.bm25("word", OWNER, 5)) == ["a"]


async def check_another_embedder_is_refused(open_index: OpenIndex) -> None:
    index = await opened(open_index)
    await index.upsert("shelf", [made("a", "word")])
    stranger = await open_index("another-embedder", DIMENSION)
    error = await raises(EmbedderMismatchError, stranger.bm25("word", OWNER, 5))
    assert EMBEDDER in str(error)
    assert "index the documents again" in str(error)
    await raises(EmbedderMismatchError, stranger.upsert("shelf", [made("b", "word")]))
    await raises(EmbedderMismatchError, (await open_index(EMBEDDER, 3)).documents(OWNER))


async def check_bm25_needs_no_embedder(open_index: OpenIndex) -> None:
    index = await opened(open_index)
    await index.upsert("shelf", [made("a", "word")])
    reader = await open_index(None, None)
    assert ids(await reader.bm25("word", OWNER, 5)) == ["a"]
    assert (await reader.statistics("shelf")).embedder == EMBEDDER
    bare = IndexedDocument(made("b", "word").document, made("b", "word").passages)
    await raises(EmbedderMismatchError, reader.upsert("shelf", [bare]))
    await reader.upsert("plain", [bare])
    assert ids(await reader.bm25("word", Scope("plain"), 5)) == ["b"]
    await raises(EmbedderMismatchError, reader.nearest(unit(1, 0, 0, 0), Scope("plain"), 5))
    await raises(EmbedderMismatchError, reader.hybrid("w", unit(1, 0, 0, 0), Scope("plain"), 5))
    await reader.maintain("plain")
    assert ids(await reader.bm25("word", Scope("plain"), 5)) == ["b"]


async def check_wrong_documents_are_refused(open_index: OpenIndex) -> None:
    index = await opened(open_index)
    good = made("a", "word")
    mixed = IndexedDocument(made("b", "word").document, good.passages, good.vectors)
    await raises(UsageError, index.upsert("shelf", [mixed]))
    short = IndexedDocument(good.document, good.passages, unit(1, 0, 0).reshape(1, 3))
    await raises(UsageError, index.upsert("shelf", [short]))
    await raises(UsageError, index.upsert("shelf", [made("c", "half \ud800 pair")]))
    assert await index.documents(OWNER) == []


async def check_maintain_keeps_answers(open_index: OpenIndex) -> None:
    index = await opened(open_index)
    await index.upsert("shelf", [made(f"d{n}", f"common word{n}", "second") for n in range(30)])
    await index.upsert("shelf", [made("d3", "common replaced")])
    await index.delete("shelf", ["d4", "d5"])
    before = await _answers(index)
    await index.maintain("shelf")
    assert await _answers(index) == before
    stats = await index.statistics("shelf")
    assert (stats.documents, stats.rows, stats.unindexed) == (28, 55, 0)
    await index.upsert("shelf", [made("d6", "common rewritten"), made("new", "common new")])
    assert ids(await index.bm25("rewritten", OWNER, 5)) == ["d6"]
    assert len(await index.bm25("common", OWNER, 100)) == 29
    before = await _answers(index)
    await index.maintain("shelf")
    await index.maintain("shelf")
    assert await _answers(index) == before


async def check_another_opener_sees_what_was_written(open_index: OpenIndex) -> None:
    writer, reader = await opened(open_index), await opened(open_index)
    await writer.upsert("shelf", [made("a", "first")])
    assert [info.id for info in await reader.documents(OWNER)] == ["a"]
    await writer.upsert("shelf", [made("a", "second"), made("b", "third")])
    assert [info.id for info in await reader.documents(OWNER)] == ["a", "b"]
    assert await reader.document_text("a", OWNER) == "second"
    assert ids(await reader.bm25("second", OWNER, 5)) == ["a"]
    assert await reader.bm25("first", OWNER, 5) == []
    await writer.maintain("shelf")
    assert ids(await reader.bm25("third", OWNER, 5)) == ["b"]


async def _answers(index: Index) -> list[object]:
    found = await index.bm25("common", OWNER, 100)
    near = await index.nearest(unit(1, 0, 0, 0), OWNER, 100)
    infos = await index.documents(OWNER)
    texts = [await index.document_text(info.id, OWNER) for info in infos[:3]]
    return [sorted(h.passage.id for h in found), sorted(h.passage.id for h in near), infos, texts]


CHECKS: tuple[Check, ...] = (
    *(value for name, value in list(globals().items()) if name.startswith("check_")),
    *VISIBILITY,
)
