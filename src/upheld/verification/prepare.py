"""Prepare the sources of a check once, to be shared by all claims."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from upheld._internal.concurrency import within
from upheld.errors import UpheldError
from upheld.ports import Embedder
from upheld.run.calls import embed
from upheld.verification.entailment import Deadline
from upheld.verification.premises import Premises
from upheld.verification.source import CheckFailure, Source
from upheld.verification.text_work import LONG, prepare_apart

_SHARE_FOR_VECTORS = 0.25  # share of the time that is left


async def texts_ready(
    sources: Sequence[Source], deadline: Deadline, *, for_model: bool
) -> CheckFailure | None:
    """Compute sentences, words and names of each source; returns a failure on timeout.

    Long texts are processed in a child process that can be killed, one at a time, so that a request
    with many of them takes turns with others.
    """
    for source in sources:
        if len(source.passage.text) > LONG and not source.is_ready:
            ready = await deadline.before_deadline(partial(_apart, source=source), late=True)
        else:
            ready = await deadline(partial(source.make_ready, for_model=for_model), late=True)
        if isinstance(ready, CheckFailure):
            return ready
    return None


async def _apart(seconds: float, source: Source) -> None:
    await within(seconds, prepare_apart(source))


@dataclass(frozen=True, kw_only=True, slots=True)
class PrepareWindows:
    """Prepares windows with their words, and vectors for the sources that must be searched."""

    premises: Premises
    embedder: Embedder | None
    most_embedded: int
    deadline: Deadline

    async def __call__(self, sources: Sequence[Source]) -> CheckFailure | None:
        for source in sources:
            ready = await self.deadline(partial(self.premises.make_ready, source))
            if isinstance(ready, CheckFailure):
                return ready
        if self.embedder is not None:
            # If embedding fails or takes too much of the remaining time, search by words alone.
            with suppress(UpheldError, TimeoutError):
                seconds = self.deadline.seconds_left * _SHARE_FOR_VECTORS
                await within(seconds, self._embed(self.embedder, sources))
        return None

    async def _embed(self, embedder: Embedder, sources: Sequence[Source]) -> None:
        size, left = self.premises.window_tokens, self.most_embedded
        for source in sources:
            windows = self.premises.searched(source)
            if not windows or len(windows) > left or size in source.vectors:
                continue
            left -= len(windows)
            import numpy as np  # comes with the embedder

            vectors = await embed(embedder, [each.text for each in windows])
            source.vectors[size] = np.stack(vectors)
