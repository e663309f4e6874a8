"""A fake of bulk work: all stages in this process, one item after another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from upheld.bulk import Stage, attempt


class FakeBulk:
    """Deterministic: results come in the order of the items."""

    def run(self, items: Sequence[Any], *stages: Stage) -> Iterator[Any]:
        opened = [(stage.name, stage.open()) for stage in stages]
        for item in items:
            for name, work in opened:
                item = attempt(name, work, item)  # noqa: PLW2901 - it becomes its result
            yield item

    def close(self) -> None:
        """Do nothing."""
