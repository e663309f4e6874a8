"""Writers around another writer: a fallback to quotes, and verification prepared meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Protocol

from upheld._internal.concurrency import while_waiting
from upheld.errors import BudgetExceededError, LLMError
from upheld.run.trace import current_run
from upheld.types import Draft, Evidence, Question
from upheld.verification.verify import Verify


class Write(Protocol):
    """A writer: makes a draft from evidence, without claims if the evidence does not answer."""

    async def __call__(self, question: Question, evidence: Evidence) -> Draft: ...


@dataclass(frozen=True, kw_only=True)
class WriteOrQuote:
    """Writes with the language model; quotes if it fails or the budget has no call left.

    With a time limit it also quotes while it waits, as the best draft in case of a timeout.
    """

    write: Write
    quote: Write

    async def __call__(self, question: Question, evidence: Evidence) -> Draft:
        if current_run().budget.seconds is None:
            return await self._written(question, evidence)

        async def offer() -> None:
            current_run().offer(await self.quote(question, evidence))

        async with while_waiting(offer):  # the run's best draft if a timeout follows
            return await self._written(question, evidence)

    async def _written(self, question: Question, evidence: Evidence) -> Draft:
        run = current_run()
        try:
            return await self.write(question, evidence)
        except (LLMError, BudgetExceededError) as error:
            run.meter.check_time()
            run.degrade("no language model, sentences are quoted", error)
            return await self.quote(question, evidence)


@dataclass(frozen=True, kw_only=True)
class WriteAndPrepare:
    """A writer that prepares the passages for the verifier while it waits for the LLM."""

    write: Write
    verify: Verify

    async def __call__(self, question: Question, evidence: Evidence) -> Draft:
        passages = evidence.passages
        deadline = self.verify.deadline((), passages)
        ready = partial(deadline, lambda: self.verify.prepare(passages))
        async with while_waiting(ready):
            return await self.write(question, evidence)
