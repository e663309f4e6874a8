"""`upheld bench ingest`: what it refuses; the whole run is measured on real manuals."""

from __future__ import annotations

from pathlib import Path

import pytest

from upheld.errors import NotFoundError
from upheld_lab.bench.costs.ingest import bench_ingest


async def test_a_folder_without_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no files"):
        await bench_ingest(tmp_path, 10, lambda *_: None)
