"""What remains without the language model: the quote writer, and a label that says so."""

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
    """A writer: a draft from evidence, empty when the evidence does not answer."""

    async def __call__(self, question: Question, evidence: Evidence) -> Draft: ...


@dataclass(frozen=True, kw_only=True)
class WriteOrQuote:
    """Write with the language model; if it fails or the budget has no call left for it, quote."""

    write: Write
    quote: Write

    async def __call__(self, question: Question, evidence: Evidence) -> Draft:
        if current_run().budget.seconds is None:
            return await self._written(question, evidence)

        async def offer() -> None:
            current_run().offer(await self.quote(question, evidence))

        async with while_waiting(offer):  # what remains if time runs out
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
    """A writer; while it waits for its model, the passages are made ready for the check."""

    write: Write
    verify: Verify

    async def __call__(self, question: Question, evidence: Evidence) -> Draft:
        passages = evidence.passages
        deadline = self.verify.deadline((), passages)
        ready = partial(deadline, lambda: self.verify.prepare(passages))
        async with while_waiting(ready):
            return await self.write(question, evidence)
