"""Labels, titles, ids and queries are values: nothing in them changes what a query means."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import lancedb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from upheld.edge.lance.index import LanceIndex
from upheld.ports import Filter, IndexedDocument
from upheld.testing.index_samples import DIMENSION, EMBEDDER, OWNER, made
from upheld.types import Hit, Scope
from upheld_lab.testing.fake_index import FakeIndex

WORDS = ["alpha", "beta", "gamma", "drop", "table", "select", "or", "null", "true"]
NASTY = [
    "'", "''", '"', "`", "\\", "\\'", "\\\\", "%", "_", "*", "?", ";", "--", "/*", "*/", "\x00",
    "\n", "\r\n", "\t", " ", "", "$1", "{}", "[]", "]", ")", "(", "' OR '1'='1", "') OR true --",
    "x'); DROP TABLE passages; --", "' UNION SELECT * FROM documents --", "\\' OR 1=1 --",
    "labels", "NULL", "true", "false", "1", "0", "a,b", "a','b", "é", "e\u0301", "ﬁ", "İ", "ß",
    "東京", "🗼", "\u202e", "\ufeff", "\u2028", "\x1f", "\x7f", "\U0010ffff", "’", "＇", "ʼ",
]  # fmt: skip

fragments = st.one_of(
    st.sampled_from(NASTY),
    st.sampled_from(WORDS),
    st.text(st.characters(codec="utf-8"), max_size=6),
    st.text(st.characters(categories=["Cs", "Po", "Cc"]), max_size=3),
)
values = st.one_of(
    st.sampled_from(NASTY), st.lists(fragments, max_size=4).map("".join), st.sampled_from(WORDS)
)
some = st.frozensets(values, max_size=3)


def library() -> list[IndexedDocument]:
    """One document for each nasty string, as id, title, label and word; and a few plain ones."""
    documents = []
    for number, nasty in enumerate(NASTY):
        labels = [nasty, NASTY[(number + 1) % len(NASTY)]] if number % 3 else []
        text = f"{WORDS[number % len(WORDS)]} {nasty} {WORDS[(number * 7) % len(WORDS)]}"
        documents.append(made(f"{nasty}", text, title=nasty, labels=labels))
    documents += [made(f"plain{n}", w, title=w, labels=[w]) for n, w in enumerate(WORDS)]
    return documents


class Both:
    """The same rows in the engine and in plain Python, and a loop to ask them in."""

    def __init__(self, root: str) -> None:
        self.runner = asyncio.Runner()
        self.documents = library()
        self.runner.run(self._fill(root))

    async def _fill(self, root: str) -> None:
        self.real = await LanceIndex.open(root, embedder_identity=EMBEDDER, dimension=DIMENSION)
        self.plain = FakeIndex(EMBEDDER, DIMENSION)
        # A part of the rows is indexed, a part is the new tail: both paths are asked.
        for part in (self.documents[::2], self.documents[1::2]):
            await self.real.upsert(OWNER.collection, part)
            await self.plain.upsert(OWNER.collection, part)
            if part is not None and part[0] is self.documents[0]:
                await self.real.maintain(OWNER.collection)

    def close(self) -> None:
        self.runner.run(self.real.close())
        self.runner.close()


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    pair = Both(str(tmp_path_factory.mktemp("injection")))
    yield pair
    pair.close()


def tokens(text: str) -> set[str]:
    """The engine's own words of a text, so that a query's meaning is a plain set of them."""
    printable = text.encode(errors="replace").decode()
    return {token.text for token in lancedb.tokenize(printable, max_token_length=None)}


def found(hits: list[Hit]) -> list[str]:
    return sorted(hit.passage.id for hit in hits)


asked = given(
    labels=st.one_of(st.none(), some), ids=some, titles=some, wanted=some,
    query=st.lists(fragments, max_size=5).map(" ".join), asked=st.lists(values, max_size=3),
)  # fmt: skip


def cases(count: int) -> settings:
    return settings(
        max_examples=count,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.too_slow],
    )


@cases(200)
@asked
def test_values_never_change_a_query(both: Both, **values: Any) -> None:
    never_changed(both, **values)


@pytest.mark.campaign
@cases(2_000)
@asked
def test_values_never_change_a_query_in_many_cases(both: Both, **values: Any) -> None:
    never_changed(both, **values)


def never_changed(
    both: Both,
    labels: frozenset[str] | None,
    ids: frozenset[str],
    titles: frozenset[str],
    wanted: frozenset[str],
    query: str,
    asked: list[str],
) -> None:
    scope = Scope(OWNER.collection, labels)
    where = Filter(document_ids=ids, titles=titles, labels=wanted)
    known = {p.id: p for each in both.documents for p in each.passages}
    asked = [*asked, *list(known)[len(query) % 7 :: 17]]

    async def ask() -> None:
        vector = both.documents[0].vectors[0]  # type: ignore[index]  # they have vectors
        everything = len(known)
        admitted = await both.plain.nearest(vector, scope, everything, where)
        assert found(await both.real.nearest(vector, scope, everything, where)) == found(admitted)
        words = tokens(query)
        matching = [hit for hit in admitted if words & tokens(hit.passage.searchable)]
        assert found(await both.real.bm25(query, scope, everything, where)) == found(matching)
        assert await both.real.documents(scope) == await both.plain.documents(scope)
        assert await both.real.passages(asked, scope) == await both.plain.passages(asked, scope)

    both.runner.run(ask())
