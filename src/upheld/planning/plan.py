"""Plan: generate search sessions, each an ordered list of sub-questions (FaVe step 1).

The model sees the sub-questions before the one that it writes, but never an answer from documents.
It may think of one, and go on from it: the implicit reasoning of FaVe's section 4.4.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from pydantic import BaseModel, Field, create_model
from pydantic.config import JsonDict

from upheld.errors import LLMError
from upheld.ports import LLM, Sampling
from upheld.prompts import Prompt, load
from upheld.run.calls import generate
from upheld.run.trace import current_run
from upheld.text.words import words
from upheld.types import Question

Session = tuple[Question, ...]
Key = tuple[str, ...]  # the normalised words of a question; equal keys mean the same question


class SubQuestions(BaseModel):
    """One session, as the model writes it."""

    questions: list[str]


@lru_cache
def at_most(count: int) -> type[SubQuestions]:
    """Return `SubQuestions` with a schema that allows at most `count` sub-questions."""
    bounds: JsonDict = {
        "items": {"type": "string", "maxLength": 160},
        "minItems": 1,
        "maxItems": count,
    }
    return create_model(
        "SubQuestions",
        __base__=SubQuestions,
        questions=(list[str], Field(json_schema_extra=bounds)),
    )


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Samples sessions in one request; if none is usable, the question is the only session.

    Equal sub-questions of different sessions share one `Question` object, and equal sessions are
    returned once, so that work for a sub-question is done once.
    """

    llm: LLM
    prompt: Prompt = field(default_factory=lambda: load("session"))
    sessions: int = 8  # as in the paper
    max_questions: int = 5  # the paper lets N vary; beyond its delta of 5, r_q does not grow
    temperature: float = 1.0  # as in the paper
    top_k: int | None = 50  # the paper samples by top-k without naming k: a common default
    max_tokens: int = (
        480  # of one session: five questions of maximal length, at two letters a token
    )

    async def __call__(self, question: Question) -> tuple[Session, ...]:
        sampling = Sampling(
            max_tokens=self.max_tokens,
            samples=self.sessions,
            temperature=self.temperature,
            top_k=self.top_k,
        )
        messages = self.prompt.render(question=question.text.strip())
        try:
            reply = await generate(
                self.llm, "plan", messages, at_most(self.max_questions), sampling
            )
        except LLMError as error:
            return unplanned(question, error.first_line)
        known: dict[Key, Question] = {}
        sessions = dict.fromkeys(
            session_of(question, each.value.questions, known)[: self.max_questions]
            for each in reply.generations
        )
        sessions.pop((), None)
        asked = dict.fromkeys(each.text for session in sessions for each in session)
        current_run().tell("plan", questions=list(asked))
        return tuple(sessions) or unplanned(question, "no sub-questions")


def session_of(question: Question, texts: Iterable[str], known: dict[Key, Question]) -> Session:
    """Make a session from texts, in order and without repeats.

    `known` holds the `Question` of each text seen before, and is extended by new ones.
    """
    asked: dict[Key, Question] = {}
    for text in texts:
        key = tuple(words(text))
        if key:
            asked[key] = known.setdefault(key, Question(" ".join(text.split()), parent=question.id))
    return tuple(asked.values())


def unplanned(question: Question, reason: str) -> tuple[Session, ...]:
    """Return the question as the only session, and mark the run degraded."""
    current_run().degrade(f"the question was searched for without sub-questions: {reason}")
    return ((question,),)
