"""LanceIndex passes the port's suite on a folder and on real object storage."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.integration.places import Place
from upheld.edge.lance.index import LanceIndex
from upheld.ports import Index
from upheld.testing.index_conformance import CHECKS
from upheld.testing.index_samples import Check, OpenIndex


@pytest.fixture
async def open_index(place: Place) -> AsyncIterator[OpenIndex]:
    opened: list[LanceIndex] = []

    async def open_one(embedder: str | None, dimension: int | None) -> Index:
        index = await place.open(embedder, dimension)
        opened.append(index)
        return index

    yield open_one
    for index in opened:
        await index.close()


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
async def test_conforms(check: Check, open_index: OpenIndex) -> None:
    await check(open_index)
