"""The queue in front of CPU models: batches, turns, room, errors."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence

import pytest

from upheld.edge.batch_queue import BatchQueue
from upheld.errors import ModelError


class Model:
    """Doubles numbers; waits at the gate before each batch, and remembers the batches."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.gate = threading.Event()
        self.gate.set()
        self.started = threading.Event()

    def __call__(self, batch: Sequence[int]) -> list[int]:
        self.started.set()
        assert self.gate.wait(10)
        self.batches.append(list(batch))
        if -1 in batch:
            raise ModelError("bad item")
        return [2 * item for item in batch]


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
async def queue(model: Model) -> AsyncIterator[BatchQueue[int, int]]:
    queue = BatchQueue(model, abs, budget=100, capacity=2, always_together=10)
    yield queue
    model.gate.set()
    await queue.close()


async def held(model: Model, queue: BatchQueue[int, int]) -> asyncio.Task[list[int]]:
    """A first request that keeps the model busy until the gate opens."""
    model.gate.clear()
    first = asyncio.create_task(queue.run([1]))
    assert await asyncio.to_thread(model.started.wait, 10)
    return first


async def test_results_come_in_order(queue: BatchQueue[int, int]) -> None:
    assert await queue.run([50, 3, 99, 20, 1]) == [100, 6, 198, 40, 2]
    assert await queue.run([]) == []


async def test_padded_batches_stay_under_the_budget(
    model: Model, queue: BatchQueue[int, int]
) -> None:
    await queue.run([*range(1, 60), 500])
    assert [500] in model.batches  # larger than the budget goes alone
    assert all(max(batch) * len(batch) <= 100 for batch in model.batches if batch != [500])


async def test_requests_share_a_batch(model: Model, queue: BatchQueue[int, int]) -> None:
    first = await held(model, queue)
    others = [asyncio.create_task(queue.run([size])) for size in (4, 7)]
    await asyncio.sleep(0)
    model.gate.set()
    assert await asyncio.gather(first, *others) == [[2], [8], [14]]
    assert model.batches == [[1], [4, 7]]


async def test_a_query_does_not_wait_for_the_end_of_a_bulk_load(
    model: Model, queue: BatchQueue[int, int]
) -> None:
    first = await held(model, queue)
    bulk = asyncio.create_task(queue.run([60] * 20))
    await asyncio.sleep(0)
    query = asyncio.create_task(queue.run([12]))
    await asyncio.sleep(0)
    model.gate.set()
    await asyncio.gather(first, bulk, query)
    assert model.batches.index([12]) == 2  # the held one, one batch of the bulk, then the query


async def test_callers_wait_for_room(model: Model, queue: BatchQueue[int, int]) -> None:
    first = await held(model, queue)
    crowd = [asyncio.create_task(queue.run([40, 40, size])) for size in range(90, 96)]
    await asyncio.sleep(0)
    assert len(queue._requests) == 2
    assert len(queue._callers) == 4
    model.gate.set()
    await first
    assert [result[2] for result in await asyncio.gather(*crowd)] == [180, 182, 184, 186, 188, 190]


async def test_an_error_reaches_its_caller_only(queue: BatchQueue[int, int]) -> None:
    with pytest.raises(ModelError, match="bad item"):
        await queue.run([-1, 80, 90])
    assert await queue.run([5]) == [10]


async def test_a_cancelled_request_is_dropped(model: Model, queue: BatchQueue[int, int]) -> None:
    first = await held(model, queue)
    doomed = asyncio.create_task(queue.run([77]))
    await asyncio.sleep(0)
    doomed.cancel()
    await asyncio.gather(doomed, return_exceptions=True)
    model.gate.set()
    await first
    await queue.run([3])
    assert [77] not in model.batches


async def test_closing_answers_those_who_wait(model: Model, queue: BatchQueue[int, int]) -> None:
    first = await held(model, queue)
    waiting = [asyncio.create_task(queue.run([size])) for size in (70, 80, 90)]
    await asyncio.sleep(0)
    closing = asyncio.create_task(queue.close())
    await asyncio.sleep(0)
    model.gate.set()
    await closing
    assert await first == [2]
    for task in waiting:
        with pytest.raises(ModelError, match="closed"):
            await task
    with pytest.raises(ModelError, match="closed"):
        await queue.run([1])
