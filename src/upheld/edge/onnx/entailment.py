"""An entailment model that runs in this process; how it runs stands in `cross_encoder`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from upheld.edge.onnx.batch_queue import BatchQueue
from upheld.edge.onnx.cross_encoder import CrossEncoder, cores
from upheld.ports import Judgement, Pair

OUTPUTS = 3  # entails, contradicts, neutral, in this order


class LocalEntailment:
    """A cross-encoder of premise and claim."""

    def __init__(
        self,
        model: Path,
        tokenizer: Path,
        *,
        name: str = "upheld-verifier-int8",
        languages: frozenset[str] = frozenset({"en"}),
        threads: int | None = None,
        capacity: int = 64,
    ) -> None:
        self._encoder = CrossEncoder(
            model, tokenizer, name=name, role="verifier", outputs=OUTPUTS, cuts=False
        )
        self.languages = languages
        self.room = self._encoder.room
        self.identity = self._encoder.identity
        self._queue: BatchQueue[Pair, Judgement] = BatchQueue(
            lambda batch: [self._run(pair) for pair in batch],
            lambda pair: len(pair.premise) + len(pair.claim),
            budget=1,  # each alone
            capacity=capacity,
            workers=threads or cores(),
        )

    def count_tokens(self, text: str) -> int:
        return len(self._encoder.encode(text).ids)

    async def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """One judgement a pair, in the order given; a pair that others wait for is judged once."""
        return await self._queue.run(pairs)

    async def close(self) -> None:
        await self._queue.close()

    def _run(self, pair: Pair) -> Judgement:
        encoding = self._encoder.encode(pair.premise, pair.claim)
        return Judgement(*self._encoder.probabilities(encoding))
