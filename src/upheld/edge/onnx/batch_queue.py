"""Worker threads for a CPU model: concurrent requests take turns and share results."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from upheld.errors import ModelError

Item = TypeVar("Item", bound=Hashable)
Result = TypeVar("Result")


@dataclass(slots=True, eq=False)
class _Job(Generic[Item, Result]):
    """One item and all requests for it; it is processed at the first turn of any of them."""

    item: Item
    size: int
    askers: set[_Request[Item, Result]] = field(default_factory=set)
    taken: bool = False


@dataclass(slots=True, eq=False)
class _Request(Generic[Item, Result]):
    """The items one caller waits for; `left` are those not yet given to a worker, longest last."""

    sizes: dict[Item, int]
    jobs: list[_Job[Item, Result]] = field(default_factory=list)
    left: list[_Job[Item, Result]] = field(default_factory=list)
    results: dict[Item, Result] = field(default_factory=dict)
    done: Future[dict[Item, Result]] = field(default_factory=Future)


class BatchQueue(Generic[Item, Result]):
    """Runs `work` on batches whose padded size stays under a budget, off the event loop.

    Requests take turns, so a single query does not wait for the end of a bulk load. An item that
    several requests need is processed once; results are not cached afterwards. At most `capacity`
    requests are in the queue; further callers wait until there is room. With more than one worker,
    `work` runs in several threads at once.
    """

    def __init__(
        self,
        work: Callable[[Sequence[Item]], Sequence[Result]],
        size: Callable[[Item], int],
        *,
        budget: int,
        capacity: int = 64,
        always_together: int = 32,
        workers: int = 1,
    ) -> None:
        self._work, self._size = work, size
        self._budget, self._capacity, self._workers = budget, capacity, workers
        self._always_together = always_together  # up to this size, padding costs almost nothing
        self._jobs: dict[Item, _Job[Item, Result]] = {}
        self._requests: deque[_Request[Item, Result]] = deque()
        self._waiting: deque[_Request[Item, Result]] = deque()  # for room in the queue
        self._changed = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._closed = False

    async def run(self, items: Sequence[Item]) -> list[Result]:
        """Return results in the order of the items; raises what `work` raised."""
        if not items:
            return []
        request: _Request[Item, Result] = _Request({item: self._size(item) for item in items})
        try:
            self._offer(request)
            results = await asyncio.wrap_future(request.done)
        finally:
            with self._changed:
                self._forget(request)
        return [results[item] for item in items]

    async def close(self) -> None:
        """Stop after the current batches; callers that still wait get an error."""
        with self._changed:
            self._closed = True
            self._fail((*self._requests, *self._waiting), ModelError("the model was closed"))
            self._changed.notify_all()
            threads = list(self._threads)
        for thread in threads:
            await asyncio.to_thread(thread.join)

    def _offer(self, request: _Request[Item, Result]) -> None:
        with self._changed:
            if self._closed:
                raise ModelError("the model was closed")
            self._waiting.append(request)
            self._let_in()
            self._hire()

    def _let_in(self) -> None:
        while self._waiting and len(self._requests) < self._capacity:
            request = self._waiting.popleft()
            for item, size in request.sizes.items():
                job = self._jobs.setdefault(item, _Job(item, size))
                job.askers.add(request)
                request.jobs.append(job)
            request.left = sorted(
                (job for job in request.jobs if not job.taken), key=lambda job: job.size
            )
            self._requests.append(request)
            self._changed.notify_all()

    def _forget(self, request: _Request[Item, Result]) -> None:
        """Drop a request, and those of its jobs that no other request needs."""
        for line in (self._requests, self._waiting):
            if request in line:
                line.remove(request)
        for job in request.jobs:
            job.askers.discard(request)
            if not job.askers and not job.taken:
                del self._jobs[job.item]
        request.jobs.clear()
        self._let_in()

    def _hire(self) -> None:
        while len(self._threads) < self._workers and not self._closed:
            thread = threading.Thread(target=self._serve, name="models", daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self) -> None:
        try:
            while batch := self._next_batch():
                self._run(batch)
        finally:  # closed, or crashed: then another thread replaces it
            with self._changed:
                self._threads.remove(threading.current_thread())
                self._hire()

    def _run(self, batch: Sequence[_Job[Item, Result]]) -> None:
        try:
            results = self._work([job.item for job in batch])
            if len(results) != len(batch):
                raise ModelError(f"the model gave {len(results)} results for {len(batch)} items")
        except Exception as error:  # raised in the callers; the thread continues
            self._fail_batch(batch, error)
        except BaseException:
            self._fail_batch(batch, ModelError("the model's worker died"))
            raise
        else:
            self._deliver(batch, results)

    def _next_batch(self) -> list[_Job[Item, Result]]:
        """Wait for work and take a batch of it; empty if the queue is closed."""
        with self._changed:
            while True:
                self._changed.wait_for(lambda: self._requests or self._closed)
                if self._closed:
                    return []
                if batch := self._take():
                    return batch

    def _take(self) -> list[_Job[Item, Result]]:
        """Take the longest items of the request whose turn it is, then what fits from others."""
        batch: list[_Job[Item, Result]] = []
        longest = 0
        for request in self._requests:
            while request.left:
                job = request.left[-1]
                if not job.taken:
                    if batch and (
                        job.size > max(longest, self._always_together)
                        or max(longest, job.size) * (len(batch) + 1) > self._budget
                    ):
                        break
                    longest = max(longest, job.size)
                    job.taken = True
                    batch.append(job)
                request.left.pop()
        self._requests.rotate(-1)
        for request in [each for each in self._requests if not each.left]:
            self._requests.remove(request)
        self._let_in()
        return batch

    def _deliver(self, batch: Sequence[_Job[Item, Result]], results: Sequence[Result]) -> None:
        with self._changed:
            for job, result in zip(batch, results, strict=True):
                del self._jobs[job.item]
                for request in job.askers:
                    request.results[job.item] = result
                    if len(request.results) == len(request.sizes) and _still_there(request):
                        request.done.set_result(request.results)

    def _fail_batch(self, batch: Sequence[_Job[Item, Result]], error: Exception) -> None:
        with self._changed:
            for job in batch:
                del self._jobs[job.item]
            self._fail({request for job in batch for request in job.askers}, error)

    def _fail(self, requests: Iterable[_Request[Item, Result]], error: Exception) -> None:
        for request in requests:
            self._forget(request)
            if _still_there(request):
                request.done.set_exception(error)


def _still_there(request: _Request[Item, Result]) -> bool:
    """Return whether the caller still waits; from now on the request cannot be cancelled."""
    return not request.done.done() and request.done.set_running_or_notify_cancel()
