"""One claim against its sources by the model: first what it cites, then what else is at hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from upheld.errors import UpheldError
from upheld.ports import Embedder, Entailment, Judgement, Pair
from upheld.run.calls import embed
from upheld.run.trace import Span
from upheld.text.notation import in_notation_of
from upheld.verification.decide import Conclude
from upheld.verification.entailment import Pace, judge
from upheld.verification.hypothesis import Word
from upheld.verification.premises import Premises
from upheld.verification.rules import Guard
from upheld.verification.source import Premise, Trouble
from upheld.verification.task import Finding, Task

if TYPE_CHECKING:
    from upheld.ports import Vector

Asked = Sequence[tuple[Premise, Pair]]


@dataclass(frozen=True, slots=True)
class Entailed:
    """What the model found about one claim, and what stopped it from finding more."""

    task: Task  # as the model was given it
    findings: tuple[Finding, ...] = ()
    trouble: Trouble | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Entail:
    """Asks the model about one claim at a time, so that a claim is decided before the next."""

    model: Entailment
    premises: Premises
    word: Word
    guard: Guard
    conclude: Conclude
    pace: Pace
    step: Span
    embedder: Embedder | None = None  # for the search among a long source's windows

    async def __call__(self, quoted: Task, context: Sequence[str]) -> Entailed:
        """Both rungs; the second only where the first does not uphold the claim."""
        task = await self.pace(lambda: self.word(quoted, context))
        if isinstance(task, Trouble):
            return Entailed(quoted, (), task)
        found: tuple[Finding, ...] = ()
        if task.model_can_read:
            task = replace(task, vector=await self._vector(task))
            for premises_of in (self.premises.cited, self._elsewhere):
                more = await self._ask(task, found, premises_of)
                if isinstance(more, Trouble):
                    return Entailed(task, found, more)
                found += more
        return Entailed(task, found)

    async def _vector(self, task: Task) -> Vector | None:
        """The claim's vector, where there is a source to search with it; else words must do."""
        if self.embedder is None or not any(s.vectors for s in (*task.cited, *task.others)):
            return None
        try:
            [vector] = await embed(self.embedder, [task.said])
        except UpheldError:
            return None
        return vector

    def _elsewhere(self, task: Task, found: Sequence[Finding]) -> Iterable[Premise]:
        enough = task.quotes or self.conclude.upholds(task, found)
        return () if enough else self.premises.others(task)

    async def _ask(
        self,
        task: Task,
        found: Sequence[Finding],
        premises_of: Callable[[Task, Sequence[Finding]], Iterable[Premise]],
    ) -> tuple[Finding, ...] | Trouble:
        """One call of the model for all premises of a rung."""
        asked = await self.pace(
            lambda: [
                (premise, _pair(self.model, task, premise)) for premise in premises_of(task, found)
            ]
        )
        if isinstance(asked, Trouble):
            return asked
        if not asked:
            return ()
        judged = await judge(self.model, [pair for _, pair in asked], self.step, self.pace)
        if isinstance(judged, Trouble):
            return judged
        return await self.pace(lambda: self._findings(task, asked, judged), late=True)

    def _findings(
        self, task: Task, asked: Asked, judged: Mapping[Pair, Judgement]
    ) -> tuple[Finding, ...]:
        return tuple(
            Finding(premise, judged[pair], self.guard(task.said, premise))
            for premise, pair in asked
        )


def _pair(model: Entailment, task: Task, premise: Premise) -> Pair:
    """Premise and claim, the claim in the premise's notation where there is room for it."""
    respelt = in_notation_of(premise.text, task.hypothesis)
    if respelt != task.hypothesis:
        size = model.count_tokens(premise.text) + model.count_tokens(respelt)
        if size <= model.room:
            return Pair(premise.text, respelt)
    return Pair(premise.text, task.hypothesis)
