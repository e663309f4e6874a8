"""Chain of verification (CoV-RAG, arXiv:2410.05801): score, judge and revise in one call.

`Verification` holds the scores, the judgment and the revised question (Table 1 of the paper).
`ReviseFirst` is Start-Revise (Table 4): the ablation that revises before any search.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, Field

from upheld.errors import LLMError
from upheld.ports import LLM, Output, Reply, Sampling
from upheld.prompts import Prompt, load
from upheld.prompts.prompt import as_written, opening, places
from upheld.run.calls import generate
from upheld.run.trace import Score, current_run, span
from upheld.text.words import words
from upheld.types import Draft, Question

_Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
# The paper's Start-Revise fails because its questions are too long for a retriever (section 4.3),
# so their length is bounded.
_Query = Annotated[str, Field(json_schema_extra={"maxLength": 200})]

# Revised questions of the prompts' examples. Small models repeat them, and would then answer
# whatever they were asked from passages about a mill.
EXAMPLES = ("When does Orrin mill open?", "When does the mill at Orrin open?")


class Judgment(StrEnum):
    """Whether the answer is right."""

    TRUE = "true"
    FALSE = "false"
    UNCLEAR = "unclear"


class Chain(BaseModel, frozen=True):
    """The chain; a decoder writes in this order, so that the revision rests on the scores."""

    reference_correctness: _Share
    correctness: _Share
    citation_accuracy: _Share
    truthfulness: _Share
    bias: _Share  # how far from the answer that the judge would give by itself: 1 is bad
    conciseness: _Share
    judgment: Judgment
    revised_question: _Query


class Direct(BaseModel, frozen=True):
    """Only the revision; an empty one says that nothing needs revising."""

    revised_question: _Query


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of verifying a draft; the default means that the draft was not verified."""

    judgment: Judgment = Judgment.UNCLEAR
    revised_question: str = ""
    scores: Chain | None = None  # None in the ablation without the chain

    def __str__(self) -> str:
        told = [self.judgment.value]
        if self.scores is not None:
            told += [
                f"{name} {value:.2f}"
                for name, value in self.scores.model_dump().items()
                if isinstance(value, float)
            ]
        if self.revised_question:
            told.append(f"ask instead: {self.revised_question}")
        return ", ".join(told)

    @property
    def score(self) -> Score:
        """The sort key of answers: judgment, then the mean of the five answer scores."""
        if self == Verification():
            return ()  # below any answer that was verified
        rank = (Judgment.FALSE, Judgment.UNCLEAR, Judgment.TRUE).index(self.judgment)
        if (s := self.scores) is None:
            return (float(rank),)
        good = (s.correctness, s.citation_accuracy, s.truthfulness, 1 - s.bias, s.conciseness)
        return (float(rank), sum(good) / len(good))


def revision(text: str, question: Question) -> str:
    """Return the revised question on one line; empty if it has the same words as the question.

    The same words would find the same passages. An example of a prompt is none either.
    """
    revised = " ".join(text.split())
    none = ([], words(question.text), *map(words, EXAMPLES))
    return "" if words(revised) in none else revised


# Footnote 1 of the paper gives these values, found by cross-validation on the scores of its trained
# model, but not the operators; those are our choice. The prompt defines the scores as the paper
# does, so that the values mean the same; they were not fitted again for a prompted model.
_REFERENCE_BELOW = 0.27
_CORRECTNESS_BELOW = 0.26
_BIAS_ABOVE = 0.7
_TRUTHFULNESS_BELOW = 0.92


class Sigma(StrEnum):
    """When to search again: on every revised question, or only if there is a fault as well."""

    NON_EMPTY = "non_empty"
    ANY = "any"
    ALL = "all"


def sigma(verification: Verification, mode: Sigma = Sigma.NON_EMPTY) -> bool:
    """Return whether to search again with the revised question (Algorithm 1, line 5)."""
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
    """The fault conditions of the paper, one by one; without the chain only the judgment."""
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
    """Verify a draft with one prompted call (Algorithm 1, line 4); the model is not trained for it.

    If the model fails, the question is not revised and the run is marked as degraded.
    """

    llm: LLM
    chain: bool = True  # False: revise directly, without scores (the ablation of Table 5)
    write: Prompt = field(default_factory=lambda: load("write"))  # the writer's, as a shared prefix
    max_tokens: int = 320  # eight fields, and a question of 200 characters

    async def __call__(self, draft: Draft) -> Verification:
        try:
            with span("judgment") as step:
                found = await (self._chained(draft) if self.chain else self._direct(draft))
                step.note = str(found)
                return found
        except LLMError as error:
            current_run().degrade("the answer went without its chain of verification", error)
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


@dataclass(frozen=True, kw_only=True)
class ReviseFirst:
    """Rewrite every question before any search; if the model does not, return it unchanged."""

    llm: LLM
    prompt: Prompt = field(default_factory=lambda: load("revise_first"))
    max_tokens: int = 160

    async def __call__(self, question: Question) -> Question:
        messages = self.prompt.render(question=question.text.strip())
        sampling = Sampling(max_tokens=self.max_tokens)
        try:
            reply = await generate(self.llm, "revise", messages, Direct, sampling)
        except LLMError as error:
            current_run().degrade("the question was not revised", error)
            return question
        revised = revision(reply.value.revised_question, question)
        if not revised:
            current_run().degrade("the question was not revised: the model gave no other wording")
            return question
        return Question(revised, parent=question.id)
