"""Models of two texts: an int8 ONNX cross-encoder, as entailment model and as grader.

Each pair runs alone, on one thread, with as many at once as there are cores. int8 scales its
activations by what else is in a batch: alone, a pair has the same score every time. It is no slower
either: `upheld bench verify` compares it with batches. A pair waits as text and is tokenised by the
worker that runs it, so that waiting pairs take no extra memory.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from upheld.edge.onnx.batch_queue import BatchQueue
from upheld.edge.onnx.session import open_session, sha256_of
from upheld.errors import MissingExtraError, ModelError
from upheld.ports import Judgement, Pair, QueryPassagePair

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


MAX_TOKENS = 256  # as in training


class CrossEncoder:
    """Maps `input_ids`, `attention_mask` (and `token_type_ids`) to one logit per output.

    `role` names the model in error messages. With `cuts`, the end of the first text is cut off if
    the pair is too long; without, such a pair is an error.
    """

    def __init__(
        self, model: Path, tokenizer: Path, *, name: str, role: str, outputs: int, cuts: bool
    ) -> None:
        try:
            import numpy
            import onnxruntime  # noqa: F401  # here only to say early that it is missing
            from tokenizers import Tokenizer
        except ImportError as missing:
            raise MissingExtraError(f"The local {role}", "local") from missing
        self._numpy = numpy
        self._model, self._loading = model, threading.Lock()
        self._role, self._outputs = role, outputs
        try:
            weights = sha256_of(model)
            self._tokenizer = Tokenizer.from_file(str(tokenizer))
        except Exception as error:  # tokenizers raises bare Exception
            raise ModelError(f"the {role}'s files cannot be read", detail=str(error)) from error
        self._tokenizer.no_padding()
        if cuts:
            self._tokenizer.enable_truncation(MAX_TOKENS, strategy="only_first")
        else:
            self._tokenizer.no_truncation()
        self.room: int = MAX_TOKENS - self._tokenizer.num_special_tokens_to_add(is_pair=True)
        self.identity = f"{name}:{weights[:12]}"

    def encode(self, text: str, second: str | None = None) -> Any:
        """Tokenise a pair for the model, or one text without special tokens."""
        try:
            if second is None:
                return self._tokenizer.encode(clean(text), add_special_tokens=False)
            return self._tokenizer.encode(clean(text), clean(second))
        except Exception as error:  # tokenizers raises bare Exception
            failed = f"the {self._role}'s tokenizer failed"
            raise ModelError(failed, detail=str(error)) from error

    def probabilities(self, encoding: Any) -> list[float]:
        """Return one probability per output; they sum to one."""
        if len(encoding.ids) > MAX_TOKENS:
            raise ModelError(
                f"a pair has {len(encoding.ids)} tokens; the {self._role} reads {MAX_TOKENS}"
            )
        try:
            with self._loading:  # the first pair loads it in its worker; others wait
                session = self._session
            inputs = {each.name for each in session.get_inputs()}
            fed = {name: value for name, value in self._feed(encoding).items() if name in inputs}
            [logits] = session.run(None, fed)
        except Exception as error:  # onnxruntime's errors have no common base
            raise ModelError(f"the {self._role} failed", detail=str(error)) from error
        if logits.shape != (1, self._outputs):
            raise ModelError(f"the {self._role} gave scores of the wrong shape: {logits.shape}")
        return self._shares(logits[0])

    @cached_property
    def _session(self) -> Any:
        return open_session(self._model, threads=1)

    def _feed(self, encoding: Any) -> dict[str, npt.NDArray[np.int64]]:
        numpy = self._numpy
        ids = numpy.array([encoding.ids], numpy.int64)
        types = numpy.zeros_like(ids)
        # By sequence, not by type: not every tokenizer sets the type of its second segment.
        sides = encoding.sequence_ids
        types[0, sides.index(1) if 1 in sides else len(sides) :] = 1
        return {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": types}

    def _shares(self, logits: Any) -> list[float]:
        numpy = self._numpy
        if not numpy.isfinite(logits).all():
            raise ModelError(f"the {self._role} gave scores that are not numbers")
        exact = logits.astype(numpy.float64)
        powers = numpy.exp(exact - exact.max())
        shares: list[float] = (powers / powers.sum()).tolist()
        return shares


def clean(text: str) -> str:
    """Replace lone surrogates, which cannot be encoded, and keep the rest of the text."""
    return text.encode("utf-8", "replace").decode("utf-8")


def cores() -> int:
    """Return the number of cores that this process may use, if the system reports it."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


ENTAILMENT_OUTPUTS = 3  # entails, contradicts, neutral, in this order


class LocalEntailment:
    """Implements `upheld.ports.Entailment` with a cross-encoder of premise and claim."""

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
            model, tokenizer, name=name, role="verifier", outputs=ENTAILMENT_OUTPUTS, cuts=False
        )
        self.languages = languages
        self.room = self._encoder.room
        self.identity = self._encoder.identity
        self._queue: BatchQueue[Pair, Judgement] = BatchQueue(
            lambda batch: [self._run(pair) for pair in batch],
            lambda pair: len(pair.premise) + len(pair.claim),
            budget=1,  # one pair per batch
            capacity=capacity,
            workers=threads or cores(),
        )

    def count_tokens(self, text: str) -> int:
        return len(self._encoder.encode(text).ids)

    async def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """Return one judgement per pair, in order; a pair that several callers need is run once."""
        return await self._queue.run(pairs)

    async def close(self) -> None:
        await self._queue.close()

    def _run(self, pair: Pair) -> Judgement:
        encoding = self._encoder.encode(pair.premise, pair.claim)
        return Judgement(*self._encoder.probabilities(encoding))


GRADER_OUTPUTS = 2  # helps, does not, in this order
QUERY_TOKENS = 96  # a longer query is cut; the text gets the remaining tokens
_NEARLY = 1e-9  # keeps probabilities away from 0 and 1


class LocalGrader:
    """Implements `upheld.ports.Grader` with a cross-encoder; its probabilities are calibrated."""

    def __init__(
        self,
        model: Path,
        tokenizer: Path,
        *,
        name: str = "upheld-grader-int8",
        threads: int | None = None,
    ) -> None:
        self._encoder = CrossEncoder(
            model, tokenizer, name=name, role="grader", outputs=GRADER_OUTPUTS, cuts=True
        )
        self.identity = self._encoder.identity
        self._queue: BatchQueue[QueryPassagePair, float] = BatchQueue(
            lambda batch: [self._run(pair) for pair in batch],
            lambda pair: len(pair.query) + len(pair.text),
            budget=1,  # one pair per batch
            workers=threads or cores(),
        )

    async def grade(self, pairs: Sequence[QueryPassagePair]) -> list[float]:
        """Return one probability per pair, in order; a pair several callers need is run once."""
        return await self._queue.run(pairs)

    async def close(self) -> None:
        await self._queue.close()

    def _run(self, pair: QueryPassagePair) -> float:
        encoding = self._encoder.encode(pair.text, self._beginning(pair.query))
        helps, _ = self._encoder.probabilities(encoding)
        return min(max(helps, _NEARLY), 1 - _NEARLY)

    def _beginning(self, query: str) -> str:
        offsets = self._encoder.encode(query).offsets[:QUERY_TOKENS]
        return clean(query)[: offsets[-1][1]] if offsets else ""
