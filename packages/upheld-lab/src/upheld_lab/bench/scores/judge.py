"""A language model as the judge of answers, as CoV-RAG uses one (section 4.2, appendix G).

The paper's judge is GPT-4; any other is a stand-in and is named beside its numbers. It scores all
answers to a question side by side; ranks come from the scores, so that they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

from pydantic import BaseModel, Field, create_model

from upheld.ports import LLM, Sampling
from upheld.prompts import fence, load
from upheld.run.calls import generate
from upheld.types import Answer, Passage, content_hash
from upheld_lab.bench.scores.chain import Quality

_PROMPTS = "upheld_lab.bench.scores"  # the package whose files the prompts are
_TOKENS_PER_ANSWER = 80
GOOD_REVISION = 0.5  # the score from which on a revised question is called good; our choice


class Qualities(BaseModel):
    """Scores of the answers in the order in which they were shown."""

    answers: list[Quality]


class RevisionScore(BaseModel):
    """How good a revised question is."""

    score: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


@dataclass(frozen=True, slots=True)
class Revision:
    """A question that was asked anew, and what led to it."""

    question: str
    answers: Sequence[str]  # wordings of the right answer
    references: Sequence[Passage]
    answer: str  # what was written before the revision
    revised: str


@dataclass(frozen=True, kw_only=True)
class Judge:
    """Asks any language model; raises LLMError where it does not answer."""

    llm: LLM

    async def qualities(
        self, question: str, right: Sequence[str], answers: Mapping[str, Answer]
    ) -> dict[str, Quality]:
        """Scores of answers to one question, by name; the judge does not see the names.

        The question decides in which order they are shown, so that no method always comes first.
        """
        names = sorted(answers, key=lambda name: content_hash(f"{question}\0{name}"))
        messages = load("bench_quality", _PROMPTS).render(
            question=fence(question),
            right=fence(_wordings(right)),
            answers="\n\n".join(_shown(n, answers[name]) for n, name in enumerate(names, start=1)),
        )
        sampling = Sampling(max_tokens=40 + _TOKENS_PER_ANSWER * len(names))
        output = qualities_of(len(names))
        reply = await generate(self.llm, "bench_quality", messages, output, sampling)
        return dict(zip(names, reply.value.answers, strict=True))

    async def is_good_revision(self, revision: Revision) -> bool:
        """Whether the revised question asks the same thing and can be answered more easily."""
        messages = load("bench_revision", _PROMPTS).render(
            question=fence(revision.question),
            right=fence(_wordings(revision.answers)),
            passages=_numbered(revision.references),
            answer=fence(revision.answer),
            revised=fence(revision.revised),
        )
        sampling = Sampling(max_tokens=40)
        reply = await generate(self.llm, "bench_revision", messages, RevisionScore, sampling)
        return reply.value.score >= GOOD_REVISION


@lru_cache
def qualities_of(answers: int) -> type[Qualities]:
    """`Qualities` whose schema admits as many as there are answers."""
    bounds = Field(min_length=answers, max_length=answers)
    return create_model("Qualities", __base__=Qualities, answers=(list[Quality], bounds))


def _shown(number: int, answer: Answer) -> str:
    told = f"Answer {number}:\n{fence(answer.text)}"
    return f"{told}\n\nIts passages:\n{_numbered(answer.sources)}" if answer.sources else told


def _numbered(passages: Sequence[Passage]) -> str:
    return "\n\n".join(
        f"[{number}]\n{fence(passage.searchable)}"
        for number, passage in enumerate(passages, start=1)
    )


def _wordings(right: Sequence[str]) -> str:
    return "\n".join(right) if right else "nobody noted one"
