"""Next question: ask the LLM for the next sub-question, given the steps so far (CoQ, prompt A)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, Field

from upheld.errors import LLMError
from upheld.planning.plan import Session, session_of, unplanned
from upheld.ports import LLM, Sampling
from upheld.prompts import Prompt, fence, load
from upheld.run.calls import generate
from upheld.run.trace import current_run
from upheld.text.words import words
from upheld.types import Draft, Question


class Next(BaseModel):
    """What to ask next; `done` stands first, because a decoder writes in this order."""

    done: bool
    question: str = Field(json_schema_extra={"maxLength": 160})


@dataclass(frozen=True, kw_only=True)
class NextQuestion:
    """Generates candidates for the next sub-question; empty at the end of the chain.

    The chain ends when most samples say that it is done, when no new sub-question comes, or when
    the model fails. It has at least one step: if the first fails, that is the question itself.
    """

    llm: LLM
    prompt: Prompt = field(default_factory=lambda: load("next_question"))
    samples: int = 1  # more than one needs a selector; the paper says "multiple"
    temperature: float = 1.0  # for several samples, as for the paper's sessions; one is greedy
    top_k: int | None = 50  # as for sessions
    max_tokens: int = 112  # enough for a question of maximal length, at two letters a token

    async def __call__(
        self, question: Question, earlier: Sequence[Draft] = (), *, answers: bool = True
    ) -> Session:
        """Return different new sub-questions; `earlier` are the steps so far.

        `answers` says whether the prompt shows the answers of these steps.
        """
        steps = fence(as_steps(earlier, answers=answers))
        messages = self.prompt.render(question=question.text.strip(), steps=steps)
        try:
            reply = await generate(self.llm, "next_question", messages, Next, self._sampling)
        except LLMError as error:
            reason = error.first_line
            if not earlier:
                return unplanned(question, reason)[0]
            current_run().degrade(f"the chain of sub-questions ended early: {reason}")
            return ()
        said = [each.value for each in reply.generations]
        going_on = [each.question for each in said if not (each.done and earlier)]
        if 2 * len(going_on) < len(said):
            return ()
        before = [words(each.question.text) for each in earlier]
        asked = session_of(question, going_on, {})
        new = tuple(each for each in asked if words(each.text) not in before)
        return new if new or earlier else unplanned(question, "no sub-question")[0]

    @property
    def _sampling(self) -> Sampling:
        if self.samples == 1:
            return Sampling(max_tokens=self.max_tokens)
        return Sampling(
            max_tokens=self.max_tokens,
            samples=self.samples,
            temperature=self.temperature,
            top_k=self.top_k,
        )


def as_steps(earlier: Sequence[Draft], *, answers: bool) -> str:
    """Format the steps so far for the prompt."""
    lines: list[str] = []
    for number, each in enumerate(earlier, start=1):
        lines.append(f"{number}. {each.question.text}")
        if answers:
            said = " ".join(" ".join(claim.text.split()) for claim in each.claims)
            lines.append(f"   Answer: {said or 'none was found'}")
    return "\n".join(lines) or "none yet"
