"""Bulk work that notes what its workers begin: verdicts that were lost are in no other file."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from upheld.bulk import Bulk, Stage, Work


@dataclass(frozen=True, slots=True)
class NotingBulk:
    """Implements `upheld.bulk.Bulk` around another one, for items of a batch of answers."""

    bulk: Bulk
    notes: Path

    def run(self, items: Sequence[Any], *stages: Stage) -> Iterator[Any]:
        noting = [replace(each, open=_Noting(each.open, self.notes)) for each in stages]
        return self.bulk.run(items, *noting)

    def close(self) -> None:
        self.bulk.close()


@dataclass(frozen=True, slots=True)
class _Noting:
    """Opens the stage in a worker; a line of the file is an answer that it begins, and when."""

    open: Callable[[], Work]
    notes: Path

    def __call__(self) -> Work:
        work = self.open()

        def noted(part: Any) -> Any:
            now = time.time()
            begun = "".join(f"{line.id} {now}\n" for line in part.lines)
            with self.notes.open("ab") as notes:  # one write: several workers append
                notes.write(begun.encode())
            return work(part)

        return noted
