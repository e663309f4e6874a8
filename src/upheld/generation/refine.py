"""Rewrite a draft with the language model: all of it by feedback, or one claim by its verdict."""

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
    """A draft and the feedback on it; without feedback the model judges the draft itself."""

    draft: Draft
    feedback: str | None = None


@dataclass(frozen=True, kw_only=True)
class Refine:
    """Rewrites a draft by feedback; if the model fails, returns the draft unchanged.

    The result is not verified and may be worse: the caller keeps the better draft.
    """

    llm: LLM
    write: Prompt = field(default_factory=lambda: load("write"))  # as the writer's: same prefix
    max_tokens: int = 720  # four claims of maximal length, as in writing

    async def __call__(self, draft: Draft, feedback: str | None = None) -> Draft:
        """Refine once, equation 4: y_t+1 from y_t and F_t.

        Without feedback it is the paper's intrinsic baseline.
        """
        turn = _turn(Round(draft, feedback), places(draft))
        return await self._ask("refine", draft, turn)

    async def final(self, history: Sequence[Round]) -> Draft:
        """Write a final answer from all rounds, equation 5: y_0, F_0 ... y_t, F_t.

        `history` must have at least one round.
        """
        *earlier, last = history
        numbers = places(last.draft)  # earlier drafts are shown with these passage numbers too
        turns = [message for each in earlier for message in _turn(each, numbers)]
        return await self._ask("final", last.draft, (*turns, *_turn(last, numbers, "final")))

    async def _ask(self, stage: str, draft: Draft, turns: Sequence[Message]) -> Draft:
        shown = unique_passages(draft.evidence.passages)
        if not shown:
            return draft  # without passages there is nothing to refine by
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
    """Format a round: the draft as the assistant's turn, and the feedback as the user's."""
    answer = as_written(round.draft, numbers)
    if round.feedback is None and prompt == "refine":
        return load("intrinsic").render(answer=answer)
    return load(prompt).render(answer=answer, feedback=fence(round.feedback or _NOT_ASSESSED))


@dataclass(frozen=True, kw_only=True)
class Restate:
    """Rewrites one claim by its verdict; returns a draft without claims if that fails.

    The result is not verified.
    """

    llm: LLM
    write: Prompt = field(default_factory=lambda: load("write"))  # as the writer's: same prefix
    prompt: Prompt = field(default_factory=lambda: load("restate"))
    max_passages: int = 5
    max_tokens: int = 240  # one claim of maximal length, with its numbers and brackets

    async def __call__(self, question: Question, claim: Claim, evidence: Evidence) -> Draft:
        """Rewrite the claim from the evidence; its verdict says what is wrong with it."""
        before = Draft(question, (claim,), union(evidence).top(self.max_passages))
        after = Draft(question, evidence=before.evidence)
        numbers = places(before)
        if not numbers:
            return after  # without passages there is nothing to rewrite it by
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
