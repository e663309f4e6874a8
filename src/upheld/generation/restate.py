"""Restate: one sentence that did not hold is written again, from the passages that bear on it."""

from __future__ import annotations

from dataclasses import dataclass, field

from upheld.answer.render import marks
from upheld.errors import LLMError
from upheld.generation.write import cited, claims_within
from upheld.ports import LLM, Sampling
from upheld.prompts import Prompt, fence, load
from upheld.prompts.conversation import as_written, opening, places
from upheld.run.calls import generate
from upheld.run.trace import current_run
from upheld.types import Claim, Draft, Evidence, Question, union


@dataclass(frozen=True, kw_only=True)
class Restate:
    """The writer again, for one claim; a draft without claims where it cannot be said.

    What comes back is not verified.
    """

    llm: LLM
    write: Prompt = field(default_factory=lambda: load("write"))  # the writer's: a shared prefix
    prompt: Prompt = field(default_factory=lambda: load("restate"))
    max_passages: int = 5
    max_tokens: int = 240  # one claim at its longest, with its numbers and brackets

    async def __call__(self, question: Question, claim: Claim, evidence: Evidence) -> Draft:
        """`claim` has the verdict that tells what is wrong with it."""
        before = Draft(question, (claim,), union(evidence).top(self.max_passages))
        after = Draft(question, evidence=before.evidence)
        numbers = places(before)
        if not numbers:
            return after  # there is nothing to tell it by
        against = marks(claim.verdict.evidence_against, numbers)
        finding = f"{claim.verdict.reason}: {against}" if against else claim.verdict.reason
        messages = (
            *opening(self.write, before),
            *self.prompt.render(answer=as_written(before, numbers), finding=fence(finding)),
        )
        output = claims_within(len(numbers), self.max_tokens)
        sampling = Sampling(max_tokens=self.max_tokens)
        try:
            reply = await generate(self.llm, "restate", messages, output, sampling)
        except LLMError as error:
            current_run().degrade(f"a claim was not restated: {str(error).splitlines()[0]}")
            return after
        claims, notes = cited(reply.value, before.evidence.passages)
        return Draft(question, claims[:1], before.evidence, notes)
