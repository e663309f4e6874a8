"""Entailment models: the contract, on the fake and on the real runtime; work in flight."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from upheld.edge.entailment import LocalEntailment
from upheld.edge.in_flight import InFlight
from upheld.errors import MissingExtraError, ModelError
from upheld.ports import Entailment, Pair
from upheld.testing.entailment_conformance import (
    PAIRS,
    EntailmentConformance,
    TrainedEntailmentConformance,
)
from upheld.testing.fake_entailment import FakeEntailment
from upheld_models import embedder_tokenizer

TINY = Path(__file__).parent.parent / "data" / "tiny_entailment.onnx"


class TestFakeEntailment(TrainedEntailmentConformance):
    @pytest.fixture
    def model(self) -> Entailment:
        return FakeEntailment()


class TestLocalEntailment(EntailmentConformance):
    """The runtime with a model that knows nothing; the trained weights join in
    tests/integration with `TrainedEntailmentConformance` as soon as they are in the package."""

    @pytest.fixture
    async def model(self) -> AsyncIterator[Entailment]:
        model = LocalEntailment(TINY, embedder_tokenizer(), threads=1)
        yield model
        await model.close()


async def test_the_claim_is_the_second_segment() -> None:
    model = LocalEntailment(TINY, embedder_tokenizer(), threads=1)
    one, other = await model.judge([Pair("a tower", "the sea"), Pair("the sea", "a tower")])
    await model.close()
    assert one != other  # the tiny model reads the same tokens otherwise in the second segment


async def test_temperature_makes_a_model_less_sure() -> None:
    sure = LocalEntailment(TINY, embedder_tokenizer(), threads=1)
    calm = LocalEntailment(TINY, embedder_tokenizer(), threads=1, temperature=5.0)
    [one], [other] = await sure.judge(PAIRS[:1]), await calm.judge(PAIRS[:1])
    await sure.close()
    await calm.close()
    best = max((one.entails, one.contradicts, one.neutral))
    assert max((other.entails, other.contradicts, other.neutral)) < best


async def test_the_identity_changes_with_the_weights(tmp_path: Path) -> None:
    other = tmp_path / "model.onnx"
    other.write_bytes(b"other weights")
    one = LocalEntailment(TINY, embedder_tokenizer())
    assert one.identity != LocalEntailment(other, embedder_tokenizer()).identity
    assert one.identity.startswith("upheld-verifier-int8:")


def test_a_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtraError, match=r"upheld\[local\]"):
        LocalEntailment(TINY, embedder_tokenizer())


class Slow:
    """Doubles numbers when the gate opens, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[list[int]] = []
        self.gate = asyncio.Event()
        self.stopped = 0

    async def __call__(self, keys: Sequence[int]) -> list[int]:
        self.asked.append(list(keys))
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.stopped += 1
            raise
        if 13 in keys:
            raise ModelError("unlucky")
        return [2 * key for key in keys]


async def start(flights: InFlight[int, int], *keys: int) -> asyncio.Task[list[int]]:
    task = asyncio.create_task(flights.run(keys))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return task


async def test_what_is_in_flight_is_asked_once() -> None:
    work = Slow()
    flights: InFlight[int, int] = InFlight(work)
    first = await start(flights, 1, 2, 1)
    second = await start(flights, 2, 3)
    work.gate.set()
    assert await first == [2, 4, 2]
    assert await second == [4, 6]
    assert work.asked == [[1, 2], [3]]
    assert await flights.run([1]) == [2]  # nothing is kept: it is asked again
    assert work.asked[-1] == [1]


async def test_a_caller_who_leaves_does_not_stop_what_others_wait_for() -> None:
    work = Slow()
    flights: InFlight[int, int] = InFlight(work)
    first, second = await start(flights, 1, 2), await start(flights, 2)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    work.gate.set()
    assert await second == [4]
    assert work.stopped == 0


async def test_what_nobody_waits_for_is_stopped_and_can_be_asked_again() -> None:
    work = Slow()
    flights: InFlight[int, int] = InFlight(work)
    first = await start(flights, 1)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    second = await start(flights, 1)
    work.gate.set()
    assert await second == [2]
    assert work.stopped == 1
    assert work.asked == [[1], [1]]


async def test_an_error_reaches_all_who_wait_for_it_and_nobody_else() -> None:
    work = Slow()
    flights: InFlight[int, int] = InFlight(work)
    doomed, sharing = await start(flights, 13, 1), await start(flights, 1)
    other = await start(flights, 5)
    work.gate.set()
    assert await other == [10]
    for task in (doomed, sharing):
        with pytest.raises(ModelError, match="unlucky"):
            await task
