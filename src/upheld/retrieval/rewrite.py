"""Rewrite: turn a question into a keyword query (CRAG step 4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from pydantic import BaseModel, Field
from pydantic.config import JsonDict

from upheld.errors import LLMError
from upheld.ports import LLM, Sampling
from upheld.prompts import Prompt, load
from upheld.run.calls import generate
from upheld.run.trace import current_run
from upheld.text.words import words
from upheld.types import Question

_MOST = 3  # the paper's "at most three keywords"
_BOUNDS: JsonDict = {
    "items": {"type": "string", "maxLength": 80},
    "minItems": 1,
    "maxItems": _MOST,
}


class KeyPhrases(BaseModel):
    """What the question is about, then what is asked of it."""

    phrases: list[str] = Field(json_schema_extra=_BOUNDS)


@dataclass(frozen=True, kw_only=True)
class Rewrite:
    """Rewrites a question as a query of at most three phrases; if that fails, returns it as it is.

    A failure marks the run degraded.
    """

    llm: LLM
    prompt: Prompt = field(default_factory=lambda: load("rewrite"))
    max_tokens: int = 280  # enough for three phrases of maximal length, at one character a token

    async def __call__(self, question: Question) -> Question:
        messages = self.prompt.render(question=question.text.strip())
        sampling = Sampling(max_tokens=self.max_tokens)
        try:
            reply = await generate(self.llm, "rewrite", messages, KeyPhrases, sampling)
        except LLMError as error:
            current_run().degrade("the question was not rewritten for search", error)
            return question
        query = keyword_query(reply.value.phrases)
        if not query:
            current_run().degrade("the question was not rewritten for search: no key phrases")
            return question
        return Question(query, parent=question.id)


def keyword_query(phrases: Iterable[str]) -> str:
    """Join the first three different phrases into one query."""
    different: dict[tuple[str, ...], str] = {}
    for phrase in phrases:
        different.setdefault(tuple(words(phrase)), " ".join(phrase.split()))
    different.pop((), None)  # phrases without a word
    return " ".join(list(different.values())[:_MOST])
