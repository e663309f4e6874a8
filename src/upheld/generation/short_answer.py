"""Short answer: yes, no, a name or a number before the claims, if the sources support it.

The last stage of every method that is asked for one.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache

from pydantic import BaseModel, Field, create_model
from pydantic.config import JsonDict

from upheld.answer.verdicts import is_supported
from upheld.errors import LLMError
from upheld.ports import LLM, Sampling
from upheld.prompts import Prompt, fence, load
from upheld.run.calls import generate
from upheld.run.trace import current_run
from upheld.text.short_answers import agree, is_yes_or_no, restates, with_sentence
from upheld.text.words import words
from upheld.types import Citation, Claim, Draft, Support
from upheld.verification.verify_draft import Check

_LEFT_OUT = "the short answer is left out"


class Short(BaseModel):
    """The statements that the answer follows from, and the answer as a sentence and in few words.

    All are empty where the statements do not settle the question. The words come last because a
    decoder writes in this order: they only have to repeat the sentence.
    """

    statements: list[int]
    sentence: str
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
        sentence=(str, Field(json_schema_extra={"maxLength": 240})),
        answer=(str, Field(json_schema_extra={"maxLength": 80})),
    )


@dataclass(frozen=True, kw_only=True)
class ShortAnswer:
    """Puts a short answer before the claims of a draft; returns the draft unchanged if it fails.

    The new claim is the short answer and its sentence, such as "1881: The museum opened in 1881.",
    and cites what its statements cite. It is left out, with a note, if the two do not say the same,
    or if the verifier does not support the sentence.
    """

    llm: LLM
    check: Check
    prompt: Prompt = field(default_factory=lambda: load("short_answer"))
    max_tokens: int = 240  # both texts at their longest, two characters a token, and some numbers

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
        answer, sentence = (" ".join(each.split()) for each in (said.answer, said.sentence))
        answer = answer.rstrip(".!")
        if not words(answer):
            return draft
        if not agree(answer, sentence):
            return _noted(draft, "its sentence does not say the same")
        if is_yes_or_no(answer) and not restates(draft.question.text, sentence):
            return _noted(draft, "its sentence does not answer the question")
        short = Claim(with_sentence(answer, sentence), _citations(draft, said.statements))
        checked = (await self.check(replace(draft, claims=(short,)))).claims
        if len(checked) != 1 or not is_supported(checked[0]):
            return _noted(draft, "no source supports it")
        said_already = words(sentence)
        others = (each for each in draft.claims if words(each.text) != said_already)
        return replace(draft, claims=(*checked, *others))


def _noted(draft: Draft, reason: str) -> Draft:
    return replace(draft, notes=(*draft.notes, f"{_LEFT_OUT}: {reason}"))


def _citations(draft: Draft, numbers: list[int]) -> tuple[Citation, ...]:
    """Return the citations of these statements, each once, as not checked for the short answer."""
    known = [draft.claims[number - 1] for number in numbers if 1 <= number <= len(draft.claims)]
    cited = (each for claim in known for each in claim.citations)
    return tuple(dict.fromkeys(replace(each, support=Support.NOT_CHECKED) for each in cited))
