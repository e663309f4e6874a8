"""Small models that read each text once a question, whichever variant asks first.

Variants are then compared on the same scores and a run is over sooner; but who asks second waits
for nothing, so that no time of it tells anything.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from upheld.ports import Embedder, Grader, Judgement, Pair, QueryPassagePair
from upheld.resources.open import Resources
from upheld_lab.bench.judgements import AroundEntailment

if TYPE_CHECKING:
    from upheld.ports import Vector, Vectors

Asked = TypeVar("Asked", bound=Hashable)
Said = TypeVar("Said")


def sharing(parts: Resources) -> Resources:
    """The parts for one question, asked by one variant after the other."""
    embedder, grader, verifier = parts.embedder, parts.grade.grader, parts.verify.model
    return replace(
        parts,
        embedder=embedder and _Embedder(embedder),
        grade=replace(parts.grade, grader=grader and _Grader(grader)),
        verify=replace(parts.verify, model=verifier and _Entailment(verifier)),
    )


async def _once(
    known: dict[Asked, Said],
    asked: Sequence[Asked],
    work: Callable[[Sequence[Asked]], Awaitable[Sequence[Said]]],
) -> list[Said]:
    new = [each for each in dict.fromkeys(asked) if each not in known]
    if new:
        known |= zip(new, await work(new), strict=True)
    return [known[each] for each in asked]


@dataclass
class _Embedder:
    model: Embedder
    known: dict[str, Vector] = field(default_factory=dict)

    @property
    def identity(self) -> str:
        return self.model.identity

    @property
    def dimension(self) -> int:
        return self.model.dimension

    async def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        async def rows(new: Sequence[str]) -> list[Vector]:
            return list(await self.model.embed(new))

        vectors = await _once(self.known, texts, rows)
        return np.stack(vectors)

    async def close(self) -> None:
        await self.model.close()


@dataclass
class _Grader:
    model: Grader
    known: dict[QueryPassagePair, float] = field(default_factory=dict)

    @property
    def identity(self) -> str:
        return self.model.identity

    async def grade(self, pairs: Sequence[QueryPassagePair]) -> list[float]:
        return await _once(self.known, pairs, self.model.grade)

    async def close(self) -> None:
        await self.model.close()


@dataclass
class _Entailment(AroundEntailment):
    known: dict[Pair, Judgement] = field(default_factory=dict)

    async def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        return await _once(self.known, pairs, self.model.judge)

    async def close(self) -> None:
        await self.model.close()
