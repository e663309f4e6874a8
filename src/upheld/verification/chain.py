"""Chain of verification (CoV-RAG, arXiv:2410.05801): score, judge and revise, in one call."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from upheld.errors import LLMError
from upheld.ports import LLM, Output, Reply, Sampling
from upheld.prompts import Prompt, load
from upheld.prompts.conversation import as_written, opening, places
from upheld.run.calls import generate
from upheld.run.trace import current_run, span
from upheld.types import Draft
from upheld.verification.chain_values import Chain, Direct, Judgment, Verification, revision

# Footnote 1 gives these values, found by cross-validation, but no operators: those are ours.
_REFERENCE_BELOW = 0.27
_CORRECTNESS_BELOW = 0.26
_BIAS_ABOVE = 0.7
_TRUTHFULNESS_BELOW = 0.92


class Sigma(StrEnum):
    """When to search again: at every revised question, or only where there is a fault as well."""

    NON_EMPTY = "non_empty"
    ANY = "any"
    ALL = "all"


def sigma(verification: Verification, mode: Sigma = Sigma.NON_EMPTY) -> bool:
    """The indicator of Algorithm 1, line 5: whether to search again with the revised question."""
    if not verification.revised_question:
        return False
    match mode:
        case Sigma.NON_EMPTY:
            return True
        case Sigma.ANY:
            return any(faults(verification))
        case Sigma.ALL:
            return all(faults(verification))


def faults(verification: Verification) -> tuple[bool, ...]:
    """The conditions of the cheaper sigma, each on its own; without the chain only the judgment."""
    wrong = verification.judgment is Judgment.FALSE
    if (scores := verification.scores) is None:
        return (wrong,)
    return (
        scores.reference_correctness < _REFERENCE_BELOW,
        scores.correctness < _CORRECTNESS_BELOW,
        scores.bias > _BIAS_ABOVE,
        scores.truthfulness < _TRUTHFULNESS_BELOW,
        wrong,
    )


@dataclass(frozen=True, kw_only=True)
class ChainVerify:
    """Algorithm 1, line 4; prompted, not trained. Where the model fails, nothing is revised."""

    llm: LLM
    chain: bool = True  # False: revise directly, the ablation of Table 5
    write: Prompt = field(default_factory=lambda: load("write"))  # the writer's: a shared prefix
    max_tokens: int = 320  # eight fields, and a question of 200 characters

    async def __call__(self, draft: Draft) -> Verification:
        try:
            with span("judgment") as step:
                found = await (self._chained(draft) if self.chain else self._direct(draft))
                step.note = str(found)
                return found
        except LLMError as error:
            reason = str(error).splitlines()[0]
            current_run().degrade(f"the answer went without its chain of verification: {reason}")
            return Verification()

    async def _chained(self, draft: Draft) -> Verification:
        said = (await self._ask(draft, "chain_verify", Chain)).value
        return Verification(said.judgment, revision(said.revised_question, draft.question), said)

    async def _direct(self, draft: Draft) -> Verification:
        said = (await self._ask(draft, "direct_revise", Direct)).value
        revised = revision(said.revised_question, draft.question)
        return Verification(Judgment.FALSE if revised else Judgment.TRUE, revised)

    async def _ask(self, draft: Draft, prompt: str, output: type[Output]) -> Reply[Output]:
        turn = load(prompt).render(answer=as_written(draft, places(draft)))
        messages = (*opening(self.write, draft), *turn)
        sampling = Sampling(max_tokens=self.max_tokens)
        return await generate(self.llm, "chain_verify", messages, output, sampling)
