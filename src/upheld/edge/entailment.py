"""An entailment model that runs in this process: an int8 ONNX cross-encoder on onnxruntime."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from upheld.edge.batch_queue import BatchQueue
from upheld.edge.in_flight import InFlight
from upheld.edge.onnx import open_session
from upheld.errors import MissingExtraError, ModelError
from upheld.ports import Judgement, Pair

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MAX_TOKENS = 256  # as in training
# Padded tokens a batch, as for the embedder: docs/decisions/004-embedder-runtime.md
BATCH_TOKENS = 1_024
OUTPUTS = 3  # logits of entails, contradicts, neutral, in this order


@dataclass(frozen=True, slots=True)
class _Tokens:
    """A pair as the model reads it; `claim_from` is where the second segment begins."""

    ids: list[int]
    claim_from: int

    def __len__(self) -> int:
        return len(self.ids)


class LocalEntailment:
    """A BERT-like cross-encoder: `input_ids`, `attention_mask` (`token_type_ids`) to three logits.

    `temperature` is what the logits are divided by: it is fitted with the thresholds.
    """

    def __init__(
        self,
        model: Path,
        tokenizer: Path,
        *,
        name: str = "upheld-verifier-int8",
        languages: frozenset[str] = frozenset({"en"}),
        temperature: float = 1.0,
        threads: int | None = None,
        batch_tokens: int = BATCH_TOKENS,
        capacity: int = 64,
    ) -> None:
        try:
            import numpy
            import onnxruntime  # noqa: F401  # here only to say early that it is missing
            from tokenizers import Tokenizer
        except ImportError as missing:
            raise MissingExtraError("The local verifier", "local") from missing
        self._numpy = numpy
        self._model, self._threads = model, threads or 0  # 0: one a physical core
        try:
            weights = hashlib.sha256(model.read_bytes()).hexdigest()
            self._tokenizer = Tokenizer.from_file(str(tokenizer))
        except Exception as error:  # tokenizers raises bare Exception
            raise ModelError(f"the verifier's files cannot be read: {error}") from error
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._temperature = temperature
        self.languages = languages
        self.room = MAX_TOKENS - self._tokenizer.num_special_tokens_to_add(is_pair=True)
        self.identity = f"{name}:{weights[:12]}"
        self._queue: BatchQueue[_Tokens, Judgement] = BatchQueue(
            self._run, len, budget=batch_tokens, capacity=capacity
        )
        self._in_flight: InFlight[Pair, Judgement] = InFlight(self._judge)

    def count_tokens(self, text: str) -> int:
        return len(self._tokenizer.encode(_clean(text), add_special_tokens=False).ids)

    async def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """One judgement a pair, in the order given; a pair that others wait for is judged once."""
        return await self._in_flight.run(pairs) if pairs else []

    async def close(self) -> None:
        await self._queue.close()

    async def _judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        return await self._queue.run(await asyncio.to_thread(self._tokenise, pairs))

    def _tokenise(self, pairs: Sequence[Pair]) -> list[_Tokens]:
        texts = [(_clean(pair.premise), _clean(pair.claim)) for pair in pairs]
        found: list[_Tokens] = []
        for encoding in self._tokenizer.encode_batch(texts):
            if len(encoding.ids) > MAX_TOKENS:
                raise ModelError(
                    f"a pair has {len(encoding.ids)} tokens; the verifier reads {MAX_TOKENS}"
                )
            # By sequence, not by type: not every tokenizer types its second segment.
            sides = encoding.sequence_ids
            found.append(_Tokens(encoding.ids, sides.index(1) if 1 in sides else len(sides)))
        return found

    @cached_property
    def _session(self) -> Any:
        """Loaded by the first batch, in the worker thread."""
        return open_session(self._model, self._threads)

    def _run(self, batch: Sequence[_Tokens]) -> list[Judgement]:
        try:
            inputs = {each.name for each in self._session.get_inputs()}
            fed = {name: value for name, value in self._feed(batch).items() if name in inputs}
            [logits] = self._session.run(None, fed)
        except Exception as error:  # onnxruntime's errors have no common base
            raise ModelError(f"the verifier failed: {error}") from error
        if logits.shape != (len(batch), OUTPUTS):
            raise ModelError(f"the verifier gave scores of the wrong shape: {logits.shape}")
        return [Judgement(*map(float, row)) for row in self._probabilities(logits)]

    def _feed(self, batch: Sequence[_Tokens]) -> dict[str, npt.NDArray[np.int64]]:
        numpy = self._numpy
        ids = numpy.zeros((len(batch), max(map(len, batch))), numpy.int64)
        mask, types = numpy.zeros_like(ids), numpy.zeros_like(ids)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens.ids
            mask[row, : len(tokens)] = 1
            types[row, tokens.claim_from : len(tokens)] = 1
        return {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}

    def _probabilities(self, logits: Any) -> npt.NDArray[np.float64]:
        numpy = self._numpy
        if not numpy.isfinite(logits).all():
            raise ModelError("the verifier gave scores that are not numbers")
        scaled = logits.astype(numpy.float64) / self._temperature
        powers = numpy.exp(scaled - scaled.max(axis=1, keepdims=True))
        shares: npt.NDArray[np.float64] = powers / powers.sum(axis=1, keepdims=True)
        return shares


def _clean(text: str) -> str:
    """A lone surrogate cannot be encoded; a replacement mark keeps the rest of the text."""
    return text.encode("utf-8", "replace").decode("utf-8")
