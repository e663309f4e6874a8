"""Reads beside `maintain`, which takes the files of older versions."""

from __future__ import annotations

import pytest

from upheld.edge.lance.failures import READS, VanishedError, rereading, translated
from upheld.errors import StorageError


class Table:
    """Files vanish under the first reads."""

    def __init__(self, vanishing: int, told: str = "Not found: data/0.lance") -> None:
        self.vanishing, self.told, self.reads = vanishing, told, 0

    @rereading
    async def read(self) -> str:
        self.reads += 1
        with translated("Reading"):
            if self.reads <= self.vanishing:
                raise RuntimeError(self.told)
        return "rows"


async def test_a_vanished_file_is_read_again() -> None:
    table = Table(vanishing=READS - 1)
    assert await table.read() == "rows"
    assert table.reads == READS


async def test_a_file_that_stays_away_is_our_error() -> None:
    table = Table(vanishing=100)
    with pytest.raises(VanishedError) as failure:
        await table.read()
    assert failure.value.retryable
    assert table.reads == READS


async def test_other_failures_are_told_at_once() -> None:
    table = Table(vanishing=1, told="disk full")
    with pytest.raises(StorageError, match="Reading failed") as failure:
        await table.read()
    assert failure.value.detail == "disk full"
    assert table.reads == 1
