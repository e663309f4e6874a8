"""Statements held against passages: all that one answer needs is asked of a model at once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass

from upheld.ports import Entailment, Pair
from upheld.types import Passage
from upheld.verification.source import Source, joined

ENTAILED = 0.5
"""The probability from which on a premise entails a claim.

The published metrics that rest on entailment mean one model (ALCE: TRUE, a T5 of 11 billion
parameters). Ours is a stand-in: its identity goes in the manifest and beside every number, and
no number of it is ever called by the published metric's bare name.
"""

_WINDOW = 160  # tokens, as in the verify stage
_LEAST = 32  # tokens of premise; a claim that leaves less cannot be judged, and is not entailed


@dataclass(frozen=True, slots=True)
class Held:
    """A statement, and the passages that together should entail it."""

    claim: str
    against: tuple[Passage, ...]


Entails = Callable[[Iterable[Held]], Awaitable[frozenset[Held]]]  # those that are entailed


def as_passage(text: str) -> Passage:
    """A text that is no document's, such as an answer, to hold something against."""
    return Passage("", text, "", "", 0, len(text))


@dataclass(frozen=True, slots=True)
class EntailsBy:
    """`Entails` by an entailment model; what it cannot read whole is read in windows."""

    model: Entailment

    async def __call__(self, held: Iterable[Held]) -> frozenset[Held]:
        pairs = {
            each: [Pair(premise, each.claim) for premise in self._premises(each)]
            for each in dict.fromkeys(held)
        }
        asked = list(dict.fromkeys(pair for some in pairs.values() for pair in some))
        if not asked:
            return frozenset()
        judged = dict(zip(asked, await self.model.judge(asked), strict=True))
        return frozenset(
            each
            for each, some in pairs.items()
            if any(judged[pair].entails >= ENTAILED for pair in some)
        )

    def _premises(self, held: Held) -> Iterator[str]:
        """All of it where there is room; else windows, and what is close to the claim in each."""
        count = self.model.count_tokens
        left = self.model.room - count(held.claim)
        if left < _LEAST or not held.against:
            return
        whole = "\n\n".join(passage.searchable for passage in held.against)
        if count(whole) <= left:
            yield whole
            return
        sources = [Source(passage) for passage in held.against]
        for source in sources:
            readable = source.windows(left, count)
            if len(readable) > 1:
                readable = source.windows(min(_WINDOW, left), count)
            yield from (window.text for window in readable)
        share = left // len(sources)
        if share >= _LEAST:
            yield joined([each.gathered(held.claim, share, count) for each in sources]).text
