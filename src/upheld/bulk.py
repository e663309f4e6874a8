"""Bulk work: many independent items through the same stages, on this machine or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

Work = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of bulk work. `open` is called once in each worker, and its result with each item.

    Everything in it is sent to other processes, so it must be picklable.
    """

    name: str
    open: Callable[[], Work]
    cpus: float = 1.0  # of a worker of this stage, where stages have workers of their own


@dataclass(frozen=True, slots=True)
class Broken:
    """An item whose work raised an exception; the work on other items goes on."""

    item: Any
    stage: str
    reason: str


class Bulk(Protocol):
    """Runs stages over items in several processes.

    Results are yielded as they are ready, in any order: one for each item, which is a `Broken` if
    a stage raised an exception. Work is only started while the caller takes results, so that
    memory stays bounded. A worker that dies is replaced and its items are done again, or the
    iterator raises `BulkError`; no item is lost or yielded twice.
    """

    def run(self, items: Sequence[Any], *stages: Stage) -> Iterator[Any]:
        """Yield the result of the last stage for each item."""
        ...

    def close(self) -> None:
        """Stop the workers and release the cluster."""
        ...


def attempt(stage: str, work: Work, item: Any) -> Any:
    """Do one step on one item; pass on what an earlier stage could not do."""
    if isinstance(item, Broken):
        return item
    try:
        return work(item)
    except Exception as error:
        return Broken(item, stage, f"{type(error).__name__}: {error}")
