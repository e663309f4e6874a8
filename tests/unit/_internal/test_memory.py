"""The memory of the machine, or of the container that this process runs in."""

from __future__ import annotations

from pathlib import Path

import pytest

from upheld._internal import memory


@pytest.mark.parametrize(("written", "expected"), [("1000000\n", 1_000_000), ("max\n", None)])
def test_the_limit_of_a_container_counts(
    written: str, expected: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = memory.memory()
    assert machine > 100_000_000
    limit = tmp_path / "memory.max"
    limit.write_text(written)
    monkeypatch.setattr(memory, "_LIMIT", limit)
    memory.memory.cache_clear()
    assert memory.memory() == expected or expected is None
    memory.memory.cache_clear()
