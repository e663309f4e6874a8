"""The claim as a model is to read it, or why it cannot; and which sources it cannot read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from upheld.errors import UpheldError
from upheld.ports import Entailment
from upheld.text.languages import is_foreign
from upheld.text.scripts import foreign_share
from upheld.text.words import words
from upheld.types import Cause
from upheld.verification.entailment import failed
from upheld.verification.premises import Premises
from upheld.verification.source import Trouble
from upheld.verification.task import Task

_SEEN = 10_000  # characters that tell a text's language


@dataclass(frozen=True, kw_only=True)
class Word:
    """Fits claims to a model: what is too long, too short or foreign is said to be so."""

    model: Entailment
    premises: Premises
    most_foreign: float

    def __call__(self, task: Task, context: Sequence[str]) -> Task:
        """`context` is what may stand before the claim; it goes where it does not fit."""
        if task.settled is not None:
            return task
        if self._is_foreign(task.said):
            return replace(task, trouble=self._foreign("the claim"))
        if len(words(task.said)) == 1 and not context:
            reason = "one word by itself cannot be checked"
            return replace(task, trouble=Trouble(Cause.CLAIM_TOO_SHORT, reason))
        try:
            fitted = self._fit(task, context)
            return fitted if fitted.trouble else self._look_at_sources(fitted)
        except UpheldError as error:
            return replace(task, trouble=failed(error))

    def _fit(self, task: Task, context: Sequence[str]) -> Task:
        most = self.premises.room - self.premises.least
        size = 0
        for dropped in range(len(context) + 1):
            hypothesis = " ".join([*context[dropped:], task.said])
            size = self.premises.count(hypothesis)
            if size <= most:
                return replace(task, hypothesis=hypothesis, size=size)
        reason = f"the claim has {size} tokens; the verifier takes {most} and cuts none off"
        return replace(task, trouble=Trouble(Cause.CLAIM_TOO_LONG, reason))

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

    def _foreign(self, what: str) -> Trouble:
        known = ", ".join(sorted(self.model.languages))
        return Trouble(Cause.LANGUAGE, f"{what} is in none of the verifier's languages ({known})")
