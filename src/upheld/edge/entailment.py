"""An entailment model that runs in this process: an int8 ONNX cross-encoder on onnxruntime.

Each pair runs alone, on one thread, and as many at once as there are cores. int8 scales its
activations by what else is in a batch: alone, a pair has the same score in any company. It is no
slower either: `upheld bench verify` measures it against batches. A pair waits as text and is
tokenised by the worker that runs it: what waits takes no more memory than its caller holds anyway.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from upheld.edge.batch_queue import BatchQueue
from upheld.edge.onnx import open_session
from upheld.errors import MissingExtraError, ModelError
from upheld.ports import Judgement, Pair

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MAX_TOKENS = 256  # as in training
OUTPUTS = 3  # logits of entails, contradicts, neutral, in this order


class LocalEntailment:
    """A cross-encoder: `input_ids`, `attention_mask` (and `token_type_ids`) to three logits."""

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
        try:
            import numpy
            import onnxruntime  # noqa: F401  # here only to say early that it is missing
            from tokenizers import Tokenizer
        except ImportError as missing:
            raise MissingExtraError("The local verifier", "local") from missing
        self._numpy = numpy
        self._model, self._loading = model, threading.Lock()
        try:
            weights = hashlib.sha256(model.read_bytes()).hexdigest()
            self._tokenizer = Tokenizer.from_file(str(tokenizer))
        except Exception as error:  # tokenizers raises bare Exception
            raise ModelError(f"the verifier's files cannot be read: {error}") from error
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self.languages = languages
        self.room = MAX_TOKENS - self._tokenizer.num_special_tokens_to_add(is_pair=True)
        self.identity = f"{name}:{weights[:12]}"
        self._queue: BatchQueue[Pair, Judgement] = BatchQueue(
            lambda batch: [self._run(pair) for pair in batch],
            lambda pair: len(pair.premise) + len(pair.claim),
            budget=1,  # each alone
            capacity=capacity,
            workers=threads or _cores(),
        )

    def count_tokens(self, text: str) -> int:
        return len(self._encode(text).ids)

    async def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """One judgement a pair, in the order given; a pair that others wait for is judged once."""
        return await self._queue.run(pairs)

    async def close(self) -> None:
        await self._queue.close()

    def _encode(self, text: str, second: str | None = None) -> Any:
        """A pair as the model reads it, or a text without what marks its ends."""
        try:
            if second is None:
                return self._tokenizer.encode(_clean(text), add_special_tokens=False)
            return self._tokenizer.encode(_clean(text), _clean(second))
        except Exception as error:  # tokenizers raises bare Exception
            raise ModelError(f"the verifier's tokenizer failed: {error}") from error

    @cached_property
    def _session(self) -> Any:
        return open_session(self._model, threads=1)

    def _run(self, pair: Pair) -> Judgement:
        encoding = self._encode(pair.premise, pair.claim)
        if len(encoding.ids) > MAX_TOKENS:
            raise ModelError(
                f"a pair has {len(encoding.ids)} tokens; the verifier reads {MAX_TOKENS}"
            )
        try:
            with self._loading:  # the first pair opens it, in its worker; the others wait
                session = self._session
            inputs = {each.name for each in session.get_inputs()}
            fed = {name: value for name, value in self._feed(encoding).items() if name in inputs}
            [logits] = session.run(None, fed)
        except Exception as error:  # onnxruntime's errors have no common base
            raise ModelError(f"the verifier failed: {error}") from error
        if logits.shape != (1, OUTPUTS):
            raise ModelError(f"the verifier gave scores of the wrong shape: {logits.shape}")
        return Judgement(*map(float, self._probabilities(logits[0])))

    def _feed(self, encoding: Any) -> dict[str, npt.NDArray[np.int64]]:
        numpy = self._numpy
        ids = numpy.array([encoding.ids], numpy.int64)
        types = numpy.zeros_like(ids)
        # By sequence, not by type: not every tokenizer types its second segment.
        sides = encoding.sequence_ids
        types[0, sides.index(1) if 1 in sides else len(sides) :] = 1
        return {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": types}

    def _probabilities(self, logits: Any) -> npt.NDArray[np.float64]:
        numpy = self._numpy
        if not numpy.isfinite(logits).all():
            raise ModelError("the verifier gave scores that are not numbers")
        exact = logits.astype(numpy.float64)
        powers = numpy.exp(exact - exact.max())
        shares: npt.NDArray[np.float64] = powers / powers.sum()
        return shares


def _clean(text: str) -> str:
    """A lone surrogate cannot be encoded; a replacement mark keeps the rest of the text."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _cores() -> int:
    """Those that this process may use, where the system tells."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
