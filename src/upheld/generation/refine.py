"""A draft written again: the whole of it with what was found about it, or one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from upheld.answer.render import marks
from upheld.errors import LLMError
from upheld.generation.write import cited, claims_within
from upheld.ports import LLM, Message, Sampling
from upheld.prompts import Prompt, fence, load
from upheld.prompts.prompt import as_written, opening, places
from upheld.run.calls import generate
from upheld.run.trace import current_run
from upheld.types import Claim, Draft, Evidence, Question, union, unique_passages

_NOT_ASSESSED = "Nothing was checked: judge it yourself."


@dataclass(frozen=True, slots=True)
class Round:
    """A draft and the feedback on it; without feedback the model is to judge for itself."""

    draft: Draft
    feedback: str | None = None


@dataclass(frozen=True, kw_only=True)
class Refine:
    """The writer again; where the model fails, the draft stays as it is.

    What comes back is not verified, and may be worse: whoever calls keeps the better draft.
    """

    llm: LLM
    write: Prompt = field(default_factory=lambda: load("write"))  # the writer's: a shared prefix
    max_tokens: int = 720  # four claims at their longest, as in writing

    async def __call__(self, draft: Draft, feedback: str | None = None) -> Draft:
        """Equation 4: y_t+1 from y_t and F_t; without F_t it is the paper's intrinsic baseline."""
        turn = _turn(Round(draft, feedback), places(draft))
        return await self._ask("refine", draft, turn)

    async def final(self, history: Sequence[Round]) -> Draft:
        """Equation 5: one more answer, from y_0, F_0 ... y_t, F_t; at least one round."""
        *earlier, last = history
        numbers = places(last.draft)  # marks of earlier drafts are told in the last one's numbers
        turns = [message for each in earlier for message in _turn(each, numbers)]
        return await self._ask("final", last.draft, (*turns, *_turn(last, numbers, "final")))

    async def _ask(self, stage: str, draft: Draft, turns: Sequence[Message]) -> Draft:
        shown = unique_passages(draft.evidence.passages)
        if not shown:
            return draft  # refinement cannot invent evidence
        output = claims_within(len(shown), self.max_tokens)
        messages = (*opening(self.write, draft), *turns)
        try:
            reply = await generate(
                self.llm, stage, messages, output, Sampling(max_tokens=self.max_tokens)
            )
        except LLMError as error:
            current_run().degrade("the draft was not refined", error)
            return draft
        claims, notes = cited(reply.value, shown)
        return Draft(draft.question, claims, draft.evidence, notes)


def _turn(round: Round, numbers: Mapping[str, int], prompt: str = "refine") -> tuple[Message, ...]:
    """The draft as the model's own turn, and the feedback as the answer to it."""
    answer = as_written(round.draft, numbers)
    if round.feedback is None and prompt == "refine":
        return load("intrinsic").render(answer=answer)
    return load(prompt).render(answer=answer, feedback=fence(round.feedback or _NOT_ASSESSED))


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
            current_run().degrade("a claim was not restated", error)
            return after
        claims, notes = cited(reply.value, before.evidence.passages)
        return Draft(question, claims[:1], before.evidence, notes)
