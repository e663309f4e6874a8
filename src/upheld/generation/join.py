"""Answers to sub-questions become the answer to the question: joined, or one short answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache

from pydantic import BaseModel, Field, create_model
from pydantic.config import JsonDict

from upheld.errors import LLMError
from upheld.ports import LLM, Sampling
from upheld.prompts import Prompt, fence, load
from upheld.run.calls import generate
from upheld.run.trace import current_run
from upheld.text.words import words
from upheld.types import Citation, Claim, Draft, Question, Support, union


def join(question: Question, answers: Iterable[Draft]) -> Draft:
    """Claims in order, the same words once; an answer without claims adds what it was shown."""
    answers = tuple(answers)
    claims: dict[tuple[str, ...], Claim] = {}
    for each in answers:
        for claim in each.claims:
            claims.setdefault(tuple(words(claim.text)), claim)
    return Draft(
        question,
        tuple(claims.values()),
        union(*(each.evidence for each in answers)),
        # What went wrong with an answer that is left out is no fault of the rest.
        tuple(dict.fromkeys(note for each in answers if each.claims for note in each.notes)),
    )


class Short(BaseModel):
    """The statements that the answer follows from, and the answer; empty where they are silent."""

    statements: list[int]
    answer: str


@lru_cache
def short_from(statements: int) -> type[Short]:
    """`Short` whose schema admits only the numbers of the statements that are shown."""
    numbers: JsonDict = {"type": "integer", "enum": list(range(1, statements + 1))}
    bounds: JsonDict = {"items": numbers, "maxItems": statements}
    return create_model(
        "Short",
        __base__=Short,
        statements=(list[int], Field(json_schema_extra=bounds)),
        answer=(str, Field(json_schema_extra={"maxLength": 80})),
    )


@dataclass(frozen=True, kw_only=True)
class ShortAnswer:
    """The draft with a short answer before it; where there is none, the draft as it is.

    It cites what its statements cite. It is a conclusion, so that no passage need say it: the
    verifier then says so.
    """

    llm: LLM
    prompt: Prompt = field(default_factory=lambda: load("short_answer"))
    max_tokens: int = 128  # 80 characters and some numbers

    async def __call__(self, draft: Draft) -> Draft:
        if not draft.claims:
            return draft
        shown = "\n".join(
            f"{number}. {' '.join(claim.text.split())}"
            for number, claim in enumerate(draft.claims, start=1)
        )
        messages = self.prompt.render(statements=fence(shown), question=draft.question.text.strip())
        output, sampling = short_from(len(draft.claims)), Sampling(max_tokens=self.max_tokens)
        try:
            said = (await generate(self.llm, "short_answer", messages, output, sampling)).value
        except LLMError as error:
            current_run().degrade("there is no short answer", error)
            return draft
        if not words(said.answer):
            return draft
        short = Claim(" ".join(said.answer.split()), _citations(draft, said.statements))
        return replace(draft, claims=(short, *draft.claims))


def _citations(draft: Draft, numbers: list[int]) -> tuple[Citation, ...]:
    """What the statements cite, each once, as nobody has checked it for the short answer."""
    known = [draft.claims[number - 1] for number in numbers if 1 <= number <= len(draft.claims)]
    cited = (each for claim in known for each in claim.citations)
    return tuple(dict.fromkeys(replace(each, support=Support.NOT_CHECKED) for each in cited))
