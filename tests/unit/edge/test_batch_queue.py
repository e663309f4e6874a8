"""The queue in front of CPU models: batches, turns, room, shared work, errors, dead workers."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence

import pytest

from upheld.edge.onnx.batch_queue import BatchQueue
from upheld.errors import ModelError


class Model:
    """Doubles numbers; waits at the gate before each batch, and remembers the batches."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.gate = threading.Event()
        self.gate.set()
        self.started = threading.Event()
        self.runs = threading.Semaphore(0)

    def __call__(self, batch: Sequence[int]) -> list[int]:
        self.started.set()
        assert self.gate.wait(10)
        self.batches.append(list(batch))
        self.runs.release()
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
    bulk = asyncio.create_task(queue.run(range(60, 80)))
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
    assert len(queue._waiting) == 4
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


@pytest.mark.parametrize("has_room", [False, True])
async def test_a_caller_who_leaves_gives_his_place_to_the_next(
    model: Model, has_room: bool
) -> None:
    queue = BatchQueue(model, abs, budget=1, capacity=1)
    first = await held(model, queue)
    second, doomed, last = (asyncio.create_task(queue.run([size])) for size in (40, 50, 60))
    await asyncio.sleep(0)  # the second stands in the queue, the others wait for room
    if has_room:  # the second is taken while the event loop stands still
        model.gate.set()
        assert all(model.runs.acquire(timeout=10) for _ in range(2))
    doomed.cancel()
    model.gate.set()
    async with asyncio.timeout(5):
        assert [await each for each in (first, second, last)] == [[2], [80], [120]]
    await queue.close()


async def test_what_others_wait_for_is_worked_on_once(
    model: Model, queue: BatchQueue[int, int]
) -> None:
    first = await held(model, queue)
    asked = [asyncio.create_task(queue.run(items)) for items in ([60, 1, 70, 60], [70, 80, 1])]
    await asyncio.sleep(0)
    model.gate.set()
    assert await asyncio.gather(first, *asked) == [[2], [120, 2, 140, 120], [140, 160, 2]]
    assert sorted(item for batch in model.batches for item in batch) == [1, 60, 70, 80]
    assert await queue.run([70]) == [140]  # nothing is kept: it is worked on again
    assert model.batches[-1] == [70]
    assert not queue._jobs


async def test_sharing_with_a_bulk_load_does_not_mean_waiting_for_it(
    model: Model, queue: BatchQueue[int, int]
) -> None:
    first = await held(model, queue)
    bulk = asyncio.create_task(queue.run(range(60, 100)))
    await asyncio.sleep(0)
    query = asyncio.create_task(queue.run([60]))  # what the bulk load would come to last
    await asyncio.sleep(0)
    model.gate.set()
    await asyncio.gather(first, bulk, query)
    assert model.batches.index([60]) == 2
    assert len(model.batches) == 1 + 40


async def test_a_caller_who_leaves_does_not_stop_what_others_wait_for(
    model: Model, queue: BatchQueue[int, int]
) -> None:
    first = await held(model, queue)
    doomed, staying = (asyncio.create_task(queue.run(items)) for items in ([60, 70], [70]))
    await asyncio.sleep(0)
    doomed.cancel()
    await asyncio.gather(doomed, return_exceptions=True)
    model.gate.set()
    assert await staying == [140]
    await first
    assert model.batches == [[1], [70]]
    assert not queue._jobs


async def test_an_error_reaches_all_who_ask_for_the_item_and_nobody_else(model: Model) -> None:
    queue = BatchQueue(model, lambda item: 99 + abs(item), budget=1)
    first = await held(model, queue)
    asked = [asyncio.create_task(queue.run(items)) for items in ([-1, 5], [7, -1], [5, 7])]
    await asyncio.sleep(0)
    model.gate.set()
    *doomed, other = await asyncio.gather(*asked, return_exceptions=True)
    assert [str(error) for error in doomed] == ["bad item"] * 2
    assert other == [10, 14]
    await first
    assert not queue._jobs
    await queue.close()


@pytest.mark.filterwarnings("ignore:Exception in thread models")  # SystemExit, as we want it
async def test_a_worker_that_dies_is_replaced(model: Model) -> None:
    def work(batch: Sequence[int]) -> list[int]:
        found = model(batch)
        if 13 in batch:
            raise SystemExit
        return found[:-1] if 7 in batch else found

    queue = BatchQueue(work, abs, budget=1)
    first = await held(model, queue)
    dying = queue._threads[0]
    killed, short, after = (asyncio.create_task(queue.run([size])) for size in (13, 7, 9))
    await asyncio.sleep(0)
    model.gate.set()
    async with asyncio.timeout(5):
        assert await first == [2]
        with pytest.raises(ModelError, match="died"):
            await killed
        with pytest.raises(ModelError, match="0 results for 1"):
            await short
        assert await after == [18]
    assert len(queue._threads) == 1
    await asyncio.to_thread(dying.join)  # its last words are this test's, not the next one's
    await queue.close()


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


@pytest.fixture
async def pair_of_workers(model: Model) -> AsyncIterator[BatchQueue[int, int]]:
    queue = BatchQueue(model, abs, budget=1, workers=2)
    yield queue
    model.gate.set()
    await queue.close()


async def test_two_workers_run_two_items_of_a_request_at_once() -> None:
    both = threading.Barrier(2)

    def work(batch: Sequence[int]) -> list[int]:
        both.wait(10)  # breaks unless another worker comes
        return [2 * item for item in batch]

    queue = BatchQueue(work, abs, budget=1, workers=2)
    assert await queue.run([7, 3, 9, 1]) == [14, 6, 18, 2]
    await queue.close()


async def test_two_workers_keep_the_order_of_many_callers(
    pair_of_workers: BatchQueue[int, int],
) -> None:
    asked = [list(range(first, first + 40)) for first in range(1, 20)]
    found = await asyncio.gather(*map(pair_of_workers.run, asked))
    assert found == [[2 * item for item in items] for items in asked]


async def test_two_errors_at_once_are_told_once_and_stop_no_worker() -> None:
    both = threading.Barrier(2)

    def work(batch: Sequence[int]) -> list[int]:
        if min(batch) < 0:
            both.wait(10)
            raise ModelError("bad item")
        return [2 * item for item in batch]

    queue = BatchQueue(work, lambda _: 1, budget=1, workers=2)
    for _ in range(20):
        with pytest.raises(ModelError, match="bad item"):
            await queue.run([-1, -2])
    assert await queue.run([1, 2, 3]) == [2, 4, 6]
    threads = list(queue._threads)
    assert [thread.is_alive() for thread in threads] == [True, True]
    await queue.close()
    assert not any(thread.is_alive() for thread in threads)


async def test_closing_two_workers_answers_those_who_wait(
    model: Model, pair_of_workers: BatchQueue[int, int]
) -> None:
    first = await held(model, pair_of_workers)
    waiting = [asyncio.create_task(pair_of_workers.run(range(size, size + 5))) for size in (70, 80)]
    await asyncio.sleep(0)
    closing = asyncio.create_task(pair_of_workers.close())
    await asyncio.sleep(0)
    model.gate.set()
    await closing
    assert await first == [2]
    for task in waiting:
        with pytest.raises(ModelError, match="closed"):
            await task
