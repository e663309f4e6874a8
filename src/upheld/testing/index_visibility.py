"""What every `Index` must show and hide: labels, filters, collections, odd names."""

# ruff: noqa: D103  # the name of a check says what it checks
from __future__ import annotations

from upheld.errors import NotFoundError, UsageError
from upheld.ports import Filter
from upheld.testing.index_samples import OWNER, Check, OpenIndex, ids, made, opened, raises, unit
from upheld.types import Scope


async def check_labels_limit_what_is_seen(open_index: OpenIndex) -> None:
    index = await opened(open_index)
    open_to_all = made("open", "shared word")
    red, blue = (
        made("red", "shared word", labels=["red"]),
        made("blue", "shared word", labels=["blue", "sky"]),
    )
    await index.upsert("shelf", [open_to_all, red, blue])
    every_id = [each.passages[0].id for each in (open_to_all, red, blue)]
    views: list[tuple[frozenset[str] | None, list[str]]] = [
        (None, ["blue", "open", "red"]),
        (frozenset(), ["open"]),
        (frozenset({"red"}), ["open", "red"]),
        (frozenset({"sky", "none"}), ["blue", "open"]),
        (frozenset({"red", "blue"}), ["blue", "open", "red"]),
        (frozenset({"RED"}), ["open"]),
    ]
    for labels, expected in views:
        scope = Scope("shelf", labels)
        assert sorted(ids(await index.bm25("shared", scope, 9))) == expected
        assert sorted(ids(await index.nearest(unit(1, 0, 0, 0), scope, 9))) == expected
        assert sorted(ids(await index.hybrid("shared", unit(1, 0, 0, 0), scope, 9))) == expected
        assert [info.id for info in await index.documents(scope)] == expected
        fetched = await index.passages(every_id, scope)
        assert sorted(passage.document_id for passage in fetched) == expected
        for id in ("open", "red", "blue"):
            if id in expected:
                assert await index.document_text(id, scope) == "shared word"
                assert len(await index.document_passages(id, scope)) == 1
            else:
                await raises(NotFoundError, index.document_text(id, scope))
                assert await index.document_passages(id, scope) == []


async def check_changed_labels_hold_at_once(open_index: OpenIndex) -> None:
    index = await opened(open_index)
    await index.upsert("shelf", [made("a", "word", labels=["red"])])
    await index.upsert("shelf", [made("a", "word", labels=["blue"])])
    assert await index.bm25("word", Scope("shelf", frozenset({"red"})), 5) == []
    assert ids(await index.bm25("word", Scope("shelf", frozenset({"blue"})), 5)) == ["a"]


async def check_filters_narrow(open_index: OpenIndex) -> None:
    index = await opened(open_index)
    await index.upsert(
        "shelf",
        [
            made("a", "word", title="First", labels=["red"]),
            made("b", "word", title="Second", labels=["blue"]),
            made("c", "word", title="First"),
        ],
    )
    cases = [
        (Filter(), ["a", "b", "c"]),
        (Filter(titles=frozenset({"First"})), ["a", "c"]),
        (Filter(document_ids=frozenset({"b", "c", "x"})), ["b", "c"]),
        (Filter(labels=frozenset({"red", "blue"})), ["a", "b"]),
        (Filter(titles=frozenset({"First"}), labels=frozenset({"red"})), ["a"]),
        (Filter(document_ids=frozenset({"x' OR '1'='1"})), []),
        (Filter(titles=frozenset({"\ud800"})), []),
    ]
    for where, expected in cases:
        assert sorted(ids(await index.bm25("word", OWNER, 9, where))) == expected
        assert sorted(ids(await index.nearest(unit(1, 0, 0, 0), OWNER, 9, where))) == expected
    hidden = Scope("shelf", frozenset({"red"}))
    where = Filter(labels=frozenset({"blue"}))
    assert await index.bm25("word", hidden, 9, where) == []


async def check_collections_are_apart(open_index: OpenIndex) -> None:
    index = await opened(open_index)
    await index.upsert("shelf", [made("a", "word here")])
    await index.upsert("other", [made("a", "word there"), made("b", "word")])
    assert [h.passage.text for h in await index.bm25("word", OWNER, 9)] == ["word here"]
    assert await index.delete("shelf", ["a", "b"]) == 1
    assert len(await index.documents(Scope("other"))) == 2
    for name in ("", "../up", "a/b", ".hidden", "with space", "é", "x" * 129):
        await raises(UsageError, index.upsert(name, [made("a", "word")]))
        await raises(UsageError, index.bm25("word", Scope(name), 5))


async def check_odd_names_are_only_names(open_index: OpenIndex) -> None:
    index = await opened(open_index)
    odd = [
        "it's",
        '"',
        "\\",
        "%",
        "_",
        "a' OR 'a'='a",
        "--",
        ";",
        "\x00",
        "é",
        "e\u0301",
        "東",
        "🗼",
        " ",
    ]
    await index.upsert(
        "shelf", [made(f"id{name}", "word", title=name, labels=[name]) for name in odd]
    )
    assert len(await index.documents(OWNER)) == len(odd)
    for name in odd:
        where = Filter(titles=frozenset({name}))
        assert ids(await index.bm25("word", OWNER, 50, where)) == [f"id{name}"], repr(name)
        scope = Scope("shelf", frozenset({name}))
        assert [info.id for info in await index.documents(scope)] == [f"id{name}"], repr(name)
        assert await index.document_text(f"id{name}", scope) == "word"
    assert await index.delete("shelf", [f"id{name}" for name in odd[:7]]) == 7
    assert len(await index.documents(OWNER)) == len(odd) - 7


CHECKS: tuple[Check, ...] = tuple(
    value for name, value in list(globals().items()) if name.startswith("check_")
)
