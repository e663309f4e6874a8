"""One worker thread in front of a CPU model: concurrent requests share batches of like length."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from upheld.errors import ModelError

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(slots=True, eq=False)
class _Request(Generic[Item, Result]):
    """What one caller waits for; `order` holds the places still to do, shortest first."""

    items: Sequence[Item]
    order: list[int]
    left: int
    results: dict[int, Result] = field(default_factory=dict)
    done: Future[list[Result]] = field(default_factory=Future)


class BatchQueue(Generic[Item, Result]):
    """Runs `work` on batches whose padded size stays under a budget, off the event loop.

    Requests take turns, so a single query does not wait for the end of a bulk load. At most
    `capacity` requests stand in the queue; further callers wait until there is room.
    """

    def __init__(
        self,
        work: Callable[[Sequence[Item]], Sequence[Result]],
        size: Callable[[Item], int],
        *,
        budget: int,
        capacity: int = 64,
        always_together: int = 32,
    ) -> None:
        self._work, self._size = work, size
        self._budget, self._capacity = budget, capacity
        self._always_together = always_together  # up to this size, padding costs next to nothing
        self._requests: deque[_Request[Item, Result]] = deque()
        self._callers: deque[Future[None]] = deque()  # waiting for room
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False

    async def run(self, items: Sequence[Item]) -> list[Result]:
        """Results in the order of the items; raises what `work` raised."""
        if not items:
            return []
        order = sorted(range(len(items)), key=lambda place: self._size(items[place]))
        request: _Request[Item, Result] = _Request(items, order, len(items))
        while (room := self._admit(request)) is not None:
            await asyncio.wrap_future(room)
        return await asyncio.wrap_future(request.done)

    async def close(self) -> None:
        """Stop after the batch at hand; whoever still waits gets an error."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join)

    def _admit(self, request: _Request[Item, Result]) -> Future[None] | None:
        """Put a request in the queue, or return what to wait for before trying again."""
        with self._changed:
            if self._closed:
                raise ModelError("the model was closed")
            if len(self._requests) >= self._capacity:
                room: Future[None] = Future()
                self._callers.append(room)
                return room
            self._requests.append(request)
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name="models", daemon=True)
                self._thread.start()
            self._changed.notify()
            return None

    def _serve(self) -> None:
        while batch := self._next_batch():
            try:
                results = self._work([request.items[place] for request, place in batch])
            except Exception as error:  # the callers', who await it; the thread must live on
                for request in {request for request, _ in batch}:
                    self._finish(request, error)
                continue
            for (request, place), result in zip(batch, results, strict=True):
                request.results[place] = result
                request.left -= 1
                if not request.left:
                    self._finish(request, None)

    def _next_batch(self) -> list[tuple[_Request[Item, Result], int]]:
        """Wait for work and take a batch of it; empty when the queue is closed."""
        with self._changed:
            while True:
                self._changed.wait_for(lambda: self._requests or self._closed)
                if self._closed:
                    self._abandon()
                    return []
                if batch := self._take():
                    return batch

    def _take(self) -> list[tuple[_Request[Item, Result], int]]:
        """The longest items of the request whose turn it is, then what fits from the others."""
        batch: list[tuple[_Request[Item, Result], int]] = []
        longest = 0
        for request in list(self._requests):
            if request.done.cancelled():
                request.order.clear()
            while request.order:
                size = self._size(request.items[request.order[-1]])
                if batch and (
                    size > max(longest, self._always_together)
                    or max(longest, size) * (len(batch) + 1) > self._budget
                ):
                    break
                longest = max(longest, size)
                batch.append((request, request.order.pop()))
        self._requests.rotate(-1)
        for request in [each for each in self._requests if not each.order]:
            self._requests.remove(request)
        self._let_in()
        return batch

    def _let_in(self) -> None:
        for _ in range(min(len(self._callers), self._capacity - len(self._requests))):
            _settle(self._callers.popleft(), None, None)

    def _finish(self, request: _Request[Item, Result], error: Exception | None) -> None:
        if error is not None:
            with self._changed:
                request.order.clear()
            _settle(request.done, None, error)
            return
        _settle(request.done, [request.results[i] for i in range(len(request.items))], None)

    def _abandon(self) -> None:
        for request in self._requests:
            _settle(request.done, None, ModelError("the model was closed"))
        self._requests.clear()
        while self._callers:  # they try again, and are told
            _settle(self._callers.popleft(), None, None)


def _settle(future: Future[Result], result: Result | None, error: Exception | None) -> None:
    """Answer a future unless its caller has gone."""
    if future.done() or not future.set_running_or_notify_cancel():
        return
    if error is not None:
        future.set_exception(error)
    else:
        future.set_result(result)  # type: ignore[arg-type]  # None only where Result is None
