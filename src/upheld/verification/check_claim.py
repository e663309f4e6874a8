"""Check one claim with the entailment model: first the cited sources, then the other ones.

`Hypothesis` prepares the claim for the model, or says why the model cannot read it or its sources.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from upheld.errors import UpheldError
from upheld.ports import Embedder, Entailment, Judgement, Pair
from upheld.run.calls import embed
from upheld.run.trace import Span
from upheld.text.languages import foreign_share, is_foreign
from upheld.text.notation import in_notation_of
from upheld.text.words import words
from upheld.types import Cause
from upheld.verification.decide import Decide
from upheld.verification.entailment import Deadline, failed, judge
from upheld.verification.premises import Finding, Premises, Task
from upheld.verification.rules import ConsistencyRules
from upheld.verification.source import CheckFailure, Premise

if TYPE_CHECKING:
    from upheld.ports import Vector


_SEEN = 10_000  # characters from which the language is detected


@dataclass(frozen=True, kw_only=True)
class Hypothesis:
    """Fits claims to a model; claims that are too long, too short or foreign get a failure."""

    model: Entailment
    premises: Premises
    most_foreign: float

    def __call__(self, task: Task, context: Sequence[str]) -> Task:
        """Return the task with its hypothesis, or with the reason why it cannot be checked.

        `context` is text to put before the claim; it is dropped where it does not fit.
        """
        if task.settled is not None:
            return task
        if self._is_foreign(task.said):
            return replace(task, failure=self._foreign("the claim"))
        if len(words(task.said)) == 1 and not context:
            reason = "one word by itself cannot be checked"
            return replace(task, failure=CheckFailure(Cause.CLAIM_TOO_SHORT, reason))
        try:
            fitted = self._fit(task, context)
            return fitted if fitted.failure else self._look_at_sources(fitted)
        except UpheldError as error:
            return replace(task, failure=failed(error))

    def _fit(self, task: Task, context: Sequence[str]) -> Task:
        most = self.premises.room - self.premises.least
        size = 0
        for dropped in range(len(context) + 1):
            hypothesis = " ".join([*context[dropped:], task.said])
            size = self.premises.count(hypothesis)
            if size <= most:
                return replace(task, hypothesis=hypothesis, size=size)
        reason = f"the claim has {size} tokens; the verifier takes {most} and cuts none off"
        return replace(task, failure=CheckFailure(Cause.CLAIM_TOO_LONG, reason))

    def _look_at_sources(self, task: Task) -> Task:
        unread = dict(task.unread)
        for source in (*task.cited, *task.others):
            if source.passage.id in unread:
                continue
            if source.is_foreign is None:
                source.is_foreign = self._is_foreign(source.text)
            if source.is_foreign:
                unread[source.passage.id] = self._foreign("the source")
            elif (long := self.premises.too_long(task, source)) is not None:
                unread[source.passage.id] = long
        return task if len(unread) == len(task.unread) else replace(task, unread=unread)

    def _is_foreign(self, text: str) -> bool:
        seen, languages = text[:_SEEN], self.model.languages
        return foreign_share(seen, languages) > self.most_foreign or is_foreign(seen, languages)

    def _foreign(self, what: str) -> CheckFailure:
        known = ", ".join(sorted(self.model.languages))
        return CheckFailure(
            Cause.LANGUAGE, f"{what} is in none of the verifier's languages ({known})"
        )


Asked = Sequence[tuple[Premise, Pair]]


@dataclass(frozen=True, slots=True)
class Entailed:
    """What the model found about one claim, and the failure that stopped it, if any."""

    task: Task  # as it was given to the model
    findings: tuple[Finding, ...] = ()
    failure: CheckFailure | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Entail:
    """Asks the model about one claim at a time, so that a claim is decided before the next."""

    model: Entailment
    premises: Premises
    word: Hypothesis
    rules: ConsistencyRules
    decide: Decide
    deadline: Deadline
    step: Span
    embedder: Embedder | None = None  # to search among the windows of a long source

    async def __call__(self, quoted: Task, context: Sequence[str]) -> Entailed:
        """Check the cited sources; check the others only if those do not support the claim."""
        task = await self.deadline(lambda: self.word(quoted, context))
        if isinstance(task, CheckFailure):
            return Entailed(quoted, (), task)
        found: tuple[Finding, ...] = ()
        if task.model_can_read:
            task = replace(task, vector=await self._vector(task))
            for premises_of in (self.premises.cited, self._elsewhere):
                more = await self._ask(task, found, premises_of)
                if isinstance(more, CheckFailure):
                    return Entailed(task, found, more)
                found += more
        return Entailed(task, found)

    async def _vector(self, task: Task) -> Vector | None:
        """Embed the claim if a source has window vectors; None means search by words alone."""
        if self.embedder is None or not any(s.vectors for s in (*task.cited, *task.others)):
            return None
        try:
            [vector] = await embed(self.embedder, [task.said])
        except UpheldError:
            return None
        return vector

    def _elsewhere(self, task: Task, found: Sequence[Finding]) -> Iterable[Premise]:
        enough = task.quotes or self.decide.upholds(task, found)
        return () if enough else self.premises.others(task)

    async def _ask(
        self,
        task: Task,
        found: Sequence[Finding],
        premises_of: Callable[[Task, Sequence[Finding]], Iterable[Premise]],
    ) -> tuple[Finding, ...] | CheckFailure:
        """Call the model once for all premises of one step."""
        asked = await self.deadline(
            lambda: [
                (premise, _pair(self.model, task, premise)) for premise in premises_of(task, found)
            ]
        )
        if isinstance(asked, CheckFailure):
            return asked
        if not asked:
            return ()
        judged = await judge(self.model, [pair for _, pair in asked], self.step, self.deadline)
        if isinstance(judged, CheckFailure):
            return judged
        return await self.deadline(lambda: self._findings(task, asked, judged), late=True)

    def _findings(
        self, task: Task, asked: Asked, judged: Mapping[Pair, Judgement]
    ) -> tuple[Finding, ...]:
        return tuple(
            Finding(premise, judged[pair], self.rules(task.said, premise))
            for premise, pair in asked
        )


def _pair(model: Entailment, task: Task, premise: Premise) -> Pair:
    """Pair premise and claim; the claim is respelt in the premise's notation if it still fits."""
    respelt = in_notation_of(premise.text, task.hypothesis)
    if respelt != task.hypothesis:
        size = model.count_tokens(premise.text) + model.count_tokens(respelt)
        if size <= model.room:
            return Pair(premise.text, respelt)
    return Pair(premise.text, task.hypothesis)
