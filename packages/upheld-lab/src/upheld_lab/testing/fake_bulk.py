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
            done = item
            for name, work in opened:
                done = attempt(name, work, done)
            yield done

    def close(self) -> None:
        """Do nothing."""
