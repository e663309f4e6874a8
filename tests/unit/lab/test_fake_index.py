from __future__ import annotations

import subprocess
import sys

import pytest

from upheld.ports import Index
from upheld.testing.index_conformance import CHECKS
from upheld.testing.index_samples import Check
from upheld_lab.testing.fake_index import FakeIndex


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
async def test_conforms(check: Check) -> None:
    storage = FakeIndex().shared

    async def open_index(embedder: str | None, dimension: int | None) -> Index:
        return FakeIndex(embedder, dimension, storage)

    await check(open_index)


def test_is_light() -> None:
    heavy = "import upheld_lab.testing.fake_index, sys; sys.exit('numpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", heavy], check=True)
