"""A grader that runs in this process; how it runs stands in `cross_encoder`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from upheld.edge.onnx.batch_queue import BatchQueue
from upheld.edge.onnx.cross_encoder import CrossEncoder, clean, cores
from upheld.ports import Relevance

OUTPUTS = 2  # helps, does not, in this order
QUERY_TOKENS = 96  # of a longer query the beginning; the text has what is left
_NEARLY = 1e-9  # a probability is neither 0 nor 1, however sure the model is


class LocalGrader:
    """A cross-encoder of text and query, whose probabilities were calibrated when it was made."""

    def __init__(
        self,
        model: Path,
        tokenizer: Path,
        *,
        name: str = "upheld-grader-int8",
        threads: int | None = None,
    ) -> None:
        self._encoder = CrossEncoder(
            model, tokenizer, name=name, role="grader", outputs=OUTPUTS, cuts=True
        )
        self.identity = self._encoder.identity
        self._queue: BatchQueue[Relevance, float] = BatchQueue(
            lambda batch: [self._run(pair) for pair in batch],
            lambda pair: len(pair.query) + len(pair.text),
            budget=1,  # each alone
            workers=threads or cores(),
        )

    async def grade(self, pairs: Sequence[Relevance]) -> list[float]:
        """One probability a pair, in the order given; a pair that others wait for is run once."""
        return await self._queue.run(pairs)

    async def close(self) -> None:
        await self._queue.close()

    def _run(self, pair: Relevance) -> float:
        encoding = self._encoder.encode(pair.text, self._beginning(pair.query))
        helps, _ = self._encoder.probabilities(encoding)
        return min(max(helps, _NEARLY), 1 - _NEARLY)

    def _beginning(self, query: str) -> str:
        offsets = self._encoder.encode(query).offsets[:QUERY_TOKENS]
        return clean(query)[: offsets[-1][1]] if offsets else ""
