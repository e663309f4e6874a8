"""What every `Bulk` must do; subclass it in a test and define a `bulk` fixture."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field

from upheld.bulk import Broken, Bulk, Stage


@dataclass(slots=True)
class Counted:
    """A stage's work that counts its calls, and so shows how often it was opened."""

    calls: int = 0

    def __call__(self, item: int) -> tuple[int, int, int]:
        self.calls += 1
        return item, self.calls, os.getpid()


@dataclass(frozen=True, slots=True)
class Add:
    """A stage's work that fails for some numbers."""

    number: int
    bad: frozenset[int] = field(default=frozenset())

    def __call__(self, item: int) -> int:
        if item in self.bad:
            raise ValueError(f"{item} is bad")
        return item + self.number


@dataclass(frozen=True, slots=True)
class Opening:
    """What `Stage.open` is in these tests: it returns the work itself."""

    work: Callable[[int], object]

    def __call__(self) -> Callable[[int], object]:
        return self.work


class BulkConformance:
    """The contract of the port, as tests."""

    def test_every_item_has_one_result(self, bulk: Bulk) -> None:
        results = list(bulk.run(range(50), Stage("add", Opening(Add(100)))))
        assert sorted(results) == list(range(100, 150))

    def test_stages_follow_each_other(self, bulk: Bulk) -> None:
        stages = (Stage("add", Opening(Add(1)), 0.5), Stage("more", Opening(Add(10)), 0.5))
        assert sorted(bulk.run([1, 2, 3], *stages)) == [12, 13, 14]

    def test_an_item_that_fails_does_not_stop_the_others(self, bulk: Bulk) -> None:
        bad = Stage("bad", Opening(Add(0, frozenset({2}))), 0.5)
        results = list(bulk.run([1, 2, 3], bad, Stage("add", Opening(Add(5)), 0.5)))
        broken = [each for each in results if isinstance(each, Broken)]
        assert broken == [Broken(2, "bad", "ValueError: 2 is bad")]
        assert sorted(each for each in results if not isinstance(each, Broken)) == [6, 8]

    def test_a_worker_is_opened_once(self, bulk: Bulk) -> None:
        results = list(bulk.run(range(40), Stage("count", Opening(Counted()))))
        workers = {pid for _, _, pid in results}
        assert sum(calls == 1 for _, calls, _ in results) == len(workers)

    def test_nothing_is_nothing(self, bulk: Bulk) -> None:
        assert list(bulk.run([], Stage("add", Opening(Add(1))))) == []

    def test_one_may_stop_early(self, bulk: Bulk) -> None:
        results = iter(bulk.run(range(1000), Stage("add", Opening(Add(1)))))
        next(results)
        results.close()  # type: ignore[attr-defined]  # all are generators
        assert sorted(bulk.run([1], Stage("add", Opening(Add(1))))) == [2]
