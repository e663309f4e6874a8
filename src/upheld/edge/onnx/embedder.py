"""The local embedder: int8 ONNX on onnxruntime, no torch."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from upheld.edge.onnx.batch_queue import BatchQueue
from upheld.edge.onnx.session import open_session, sha256_of
from upheld.errors import MissingExtraError, ModelError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from upheld.ports import Vector, Vectors

Tokens = tuple[int, ...]

MAX_TOKENS = 256
TOKENISE_AT_ONCE = 32
EMBED_AT_ONCE = 1024  # to queue them takes the event loop a few milliseconds
# Padded tokens per batch; same speed from 500 to 2,000, slower above:
# docs/decisions/004-embedder-runtime.md
BATCH_TOKENS = 1_024


class LocalEmbedder:
    """all-MiniLM-L6-v2, int8, from `upheld-models`; or a model of the same shape from a folder."""

    dimension = 384

    def __init__(
        self,
        model: Path | None = None,
        tokenizer: Path | None = None,
        *,
        name: str = "all-MiniLM-L6-v2-int8",
        threads: int | None = None,
        batch_tokens: int = BATCH_TOKENS,
    ) -> None:
        try:
            import numpy
            import onnxruntime  # noqa: F401  # here only to say early that it is missing
            from tokenizers import Tokenizer

            from upheld_models import embedder_model, embedder_tokenizer
        except ImportError as missing:
            raise MissingExtraError("The local embedder", "local") from missing
        self._numpy = numpy
        self._model = model or embedder_model()
        self._threads = threads or 0  # 0: one per physical core
        try:
            weights = sha256_of(self._model)
            self._tokenizer = Tokenizer.from_file(str(tokenizer or embedder_tokenizer()))
        except Exception as error:  # tokenizers raises bare Exception
            raise ModelError("the embedder's files cannot be read", detail=str(error)) from error
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self.identity = f"{name}:{weights[:12]}"
        self._queue: BatchQueue[Tokens, Vector] = BatchQueue(self._run, len, budget=batch_tokens)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector per text, in order; texts are cut at 256 tokens."""
        if not texts:
            return self._numpy.empty((0, self.dimension), self._numpy.float32)
        vectors: list[Vector] = []
        for start in range(0, len(texts), EMBED_AT_ONCE):
            some = texts[start : start + EMBED_AT_ONCE]
            tokens = await asyncio.to_thread(self._tokenise, some)
            vectors += await self._queue.run(tokens)
        return self._numpy.stack(vectors)

    async def close(self) -> None:
        await self._queue.close()

    def _tokenise(self, texts: Sequence[str]) -> list[Tokens]:
        # A lone surrogate cannot be encoded; a replacement character keeps the rest of the text.
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        # A few at a time: the tokenizer holds the interpreter lock while it returns them.
        return [
            tuple(encoding.ids)
            for start in range(0, len(clean), TOKENISE_AT_ONCE)
            for encoding in self._tokenizer.encode_batch_fast(
                clean[start : start + TOKENISE_AT_ONCE]
            )
        ]

    @cached_property
    def _session(self) -> Any:
        """The session; the first batch loads it in its thread, so that opening stays quick."""
        return open_session(self._model, self._threads)

    def _run(self, batch: Sequence[Tokens]) -> list[Vector]:
        ids, mask = pad(batch)
        try:
            [vectors] = self._session.run(None, {"input_ids": ids, "attention_mask": mask})
        except Exception as error:  # onnxruntime's errors have no common base
            raise ModelError("the embedder failed", detail=str(error)) from error
        return list(vectors)


def pad(batch: Sequence[Sequence[int]]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return token ids and mask, padded to the longest text."""
    import numpy as np

    ids = np.zeros((len(batch), max(map(len, batch))), np.int64)
    mask = np.zeros_like(ids)
    for row, tokens in enumerate(batch):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
    return ids, mask
