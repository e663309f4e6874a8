"""Combine the answers to sub-questions: join their claims, or add one short answer."""

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
    """Join drafts into one: claims in order without repeats, and the evidence of all drafts."""
    answers = tuple(answers)
    claims: dict[tuple[str, ...], Claim] = {}
    for each in answers:
        for claim in each.claims:
            claims.setdefault(tuple(words(claim.text)), claim)
    return Draft(
        question,
        tuple(claims.values()),
        union(*(each.evidence for each in answers)),
        # Notes of a draft without claims do not concern the joined answer.
        tuple(dict.fromkeys(note for each in answers if each.claims for note in each.notes)),
    )


class Short(BaseModel):
    """The statements that the answer follows from, and the answer; empty where they are silent."""

    statements: list[int]
    answer: str


@lru_cache
def short_from(statements: int) -> type[Short]:
    """Return `Short` with a schema that allows only the numbers of the shown statements."""
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
    """Puts a short answer before the claims of a draft; returns the draft unchanged if it fails.

    The short answer cites what its statements cite. It is a conclusion that no passage may state
    by itself; then the verifier finds it unsupported.
    """

    llm: LLM
    prompt: Prompt = field(default_factory=lambda: load("short_answer"))
    max_tokens: int = 128  # enough for 80 characters and some numbers

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
    """Return the citations of these statements, each once, as not checked for the short answer."""
    known = [draft.claims[number - 1] for number in numbers if 1 <= number <= len(draft.claims)]
    cited = (each for claim in known for each in claim.citations)
    return tuple(dict.fromkeys(replace(each, support=Support.NOT_CHECKED) for each in cited))
