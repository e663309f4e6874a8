"""Standalone: rewrite the last message of a conversation as a self-contained question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pydantic import BaseModel, Field
from pydantic.config import JsonDict

from upheld.errors import BudgetExceededError, LLMError
from upheld.ports import LLM, Message, Sampling
from upheld.prompts import Prompt, fence, load
from upheld.run.calls import generate
from upheld.run.trace import current_run, span
from upheld.types import Question

_TURNS = 8  # turns shown to the model: references are mostly to recent ones
_CHARACTERS = 1000  # of each turn
_BOUNDS: JsonDict = {"maxLength": 500}


class StandaloneQuestion(BaseModel):
    """The last message, as it would be asked of somebody who has just come in."""

    question: str = Field(json_schema_extra=_BOUNDS)


@dataclass(frozen=True, kw_only=True)
class Standalone:
    """Rewrites a message by the conversation before it; without a model, returns it unchanged.

    If messages were not used, because there is no model or it failed, the run is marked degraded.
    """

    llm: LLM | None
    prompt: Prompt = field(default_factory=lambda: load("standalone"))
    max_tokens: int = 260  # enough for a question of maximal length, at two characters a token

    async def __call__(self, question: Question, earlier: Sequence[Message]) -> Question:
        if not earlier:
            return question
        with span("standalone") as step:
            text = await self._condensed(question, earlier)
            step.note = text or "the last message is the question"
        return replace(question, text=text) if text else question

    async def _condensed(self, question: Question, earlier: Sequence[Message]) -> str:
        run = current_run()
        if self.llm is None:
            run.degrade("earlier messages were not read: there is no language model")
            return ""
        messages = self.prompt.render(
            earlier=fence(conversation(earlier)), message=question.text.strip()
        )
        sampling = Sampling(max_tokens=self.max_tokens)
        try:
            reply = await generate(self.llm, "condense", messages, StandaloneQuestion, sampling)
        except (LLMError, BudgetExceededError) as error:
            run.meter.check_time()
            run.degrade("earlier messages were not read", error)
            return ""
        text = " ".join(reply.value.question.split())
        if not text:
            run.degrade("earlier messages were not read: the model gave no question")
        return text


def conversation(earlier: Sequence[Message]) -> str:
    """Format the last turns for the prompt, one line each; long turns are truncated."""
    return "\n".join(f"{each.role}: {_beginning(each.content)}" for each in earlier[-_TURNS:])


def _beginning(text: str) -> str:
    # Truncate first: splitting a message of a hundred thousand characters would be slow.
    return " ".join(text[: 4 * _CHARACTERS].split())[:_CHARACTERS]
