"""The LLM writer: writes claims with citations from a question and evidence.

The model names the passages of a claim; the closest sentence of each becomes the exact quote.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

from pydantic import BaseModel, Field, create_model
from pydantic.config import JsonDict

from upheld.ports import LLM, Message, Sampling
from upheld.prompts import Prompt, load
from upheld.prompts.prompt import numbered
from upheld.run.calls import generate
from upheld.run.trace import current_run, reading_along
from upheld.text.marks import indexed_in, indexed_words, unknown_marks, unmark, without_marks
from upheld.text.sentences import Span, sentence_spans
from upheld.text.words import terms, words
from upheld.types import Citation, Claim, Draft, Evidence, Passage, Question, Verdict, union


def closest_sentence(claim: str, text: str) -> Span:
    """Return the span of the sentence that shares most terms with the claim; the first of equals.

    Overlap is Dice's coefficient over sets of terms. A term counts less the more sentences have
    it, so that the topic of the whole text does not decide.
    """
    spans = sentence_spans(text)
    if not spans:
        return (0, len(text))
    told = terms(claim)
    sentences = [terms(text[start:end]) for start, end in spans]
    spread = Counter(term for sentence in sentences for term in sentence)

    def overlap(sentence: frozenset[str]) -> float:
        shared = sum(1 / spread[term] for term in sentence & told)
        return 2 * shared / (len(sentence) + len(told) or 1)

    best = max(range(len(spans)), key=lambda index: overlap(sentences[index]))
    return spans[best]


def cite(claim: str, passage: Passage) -> Citation:
    """Cite the sentence of a passage that is closest to the claim, with document offsets."""
    start, end = closest_sentence(claim, passage.text)
    return passage.cite(start, end)


# The schema bounds the length of a claim, so that a model which repeats itself still closes its
# JSON within `max_tokens`.
_LONGEST_CLAIM = 300  # characters
TOKENS_PER_CLAIM = 180  # at two characters a token, as seen with SmolLM2 when it goes astray
# If `max_tokens` is too small for one such claim, the claim gets shorter.
TOKENS_AROUND_CLAIM = 45  # JSON and passage numbers, one on each line as SmolLM2 writes them
_LETTERS_PER_TOKEN = 3  # plain English has four
_LONGEST_TOKEN = 12  # characters: a decoder may stop this far before the bound
_CLAIM_BEGINS = re.compile(r'"claims"\s*+:\s*+\[\s*+\{')
_NEXT_CLAIM = re.compile(r"\s*+,\s*+\{")
_DECODER = json.JSONDecoder()
_ENDS = tuple(".!?…。！？:;\"'”’»)]")


class WrittenClaim(BaseModel):
    """The numbers of passages, and the sentence that they uphold.

    Numbers come first because a decoder writes in this order: a small model that has chosen its
    passage keeps closer to it, and to the question, than one that looks for a passage afterwards.
    """

    sources: list[int]
    text: str


class Claims(BaseModel):
    """What the model is asked to write; an empty list says that the passages do not answer."""

    longest: ClassVar[int] = _LONGEST_CLAIM  # characters of a claim, in the schema
    claims: list[WrittenClaim]


def claims_within(passages: int, tokens: int) -> type[Claims]:
    """Return `Claims` with a schema whose longest output fits into `tokens`."""
    claims = max(1, tokens // TOKENS_PER_CLAIM)
    longest = _LETTERS_PER_TOKEN * (tokens // claims - TOKENS_AROUND_CLAIM)
    return claims_about(passages, claims, min(longest, _LONGEST_CLAIM))


def claims_about(passages: int, claims: int, longest: int = _LONGEST_CLAIM) -> type[Claims]:
    """Return `Claims` with a schema that allows only the numbers of the shown passages.

    Validation accepts any number: a server may ignore the schema, and one wrong number is no
    reason to lose the other claims.
    """
    return _claims_about(passages, claims, longest)


@lru_cache
def _claims_about(passages: int, claims: int, longest: int) -> type[Claims]:
    numbers: JsonDict = {"type": "integer", "enum": list(range(1, passages + 1))}
    bounds: JsonDict = {"items": numbers, "minItems": 1, "maxItems": passages}
    written = create_model(
        "WrittenClaim",
        __base__=WrittenClaim,
        sources=(list[int], Field(json_schema_extra=bounds)),
        text=(str, Field(json_schema_extra={"maxLength": longest})),
    )
    output = create_model(
        "Claims",
        __base__=Claims,
        claims=(list[written], Field(json_schema_extra={"maxItems": claims})),  # type: ignore[valid-type]  # made for this many passages
    )
    output.longest = longest
    return output


@dataclass(frozen=True, kw_only=True)
class WriteClaims:
    """Asks the language model for claims, each with the numbers of the passages that support it.

    Raises `LLMError` if the call fails, and `BudgetExceededError` if it does not fit the budget.
    """

    llm: LLM
    prompt: Prompt = field(default_factory=lambda: load("write"))
    before: tuple[Message, ...] = ()  # turns between the rules and the question
    max_passages: int = 5
    max_tokens: int = 720  # four claims of maximal length; most answers use a tenth

    async def __call__(self, question: Question, evidence: Evidence) -> Draft:
        return (await self.sample(question, evidence, Sampling(max_tokens=self.max_tokens)))[0]

    async def sample(
        self, question: Question, evidence: Evidence, sampling: Sampling
    ) -> tuple[Draft, ...]:
        """Return a draft for every valid sample; a single empty draft if there is no evidence."""
        seen = union(evidence).top(self.max_passages)  # a union has no passage twice
        shown = seen.passages
        if not shown:
            return (Draft(question, notes=("there was nothing to write from",)),)
        # Passages come before the question, so that calls on the same evidence share a prefix.
        *rules, ask = self.prompt.render(passages=numbered(shown), question=question.text.strip())
        output = claims_within(len(shown), self.max_tokens)
        run, done = current_run(), 0

        def announce(text: str) -> None:
            nonlocal done
            if text.count("}") > done:
                done = text.count("}")
                claims, _ = cited(output.model_construct(claims=complete_claims(text)), shown)
                run.announce(Draft(question, claims, seen))

        with reading_along(announce) if sampling.samples == 1 and run.announced else nullcontext():
            reply = await generate(self.llm, "write", (*rules, *self.before, ask), output, sampling)
        written = (cited(each.value, shown) for each in reply.generations)
        return tuple(Draft(question, claims, seen, notes) for claims, notes in written)


def cited(written: Claims, shown: Sequence[Passage]) -> tuple[tuple[Claim, ...], tuple[str, ...]]:
    """Turn the model's claims into claims with exact citations, and notes on problems.

    Repeated claims are dropped, claims that the decoder cut off are shortened to whole sentences,
    and claims that cite a passage which was not shown are unsupported.
    """
    claims: dict[tuple[str, ...], Claim] = {}
    notes: list[str] = []
    indexed = [indexed_words(passage.text) for passage in shown]
    for each in written.claims:
        whole = each.text
        if -_LONGEST_TOKEN <= len(whole) - written.longest <= 0 and not whole.endswith(_ENDS):
            whole = whole_sentences(whole)  # the length bound ended it, not the model
            notes.append(f"a claim was cut off at {written.longest} characters")
        text = " ".join(without_marks(whole, indexed_in(whole, indexed)).split())
        told = tuple(words(text))
        if not told or told in claims:
            continue  # only marks and white space, or a repetition
        known = [number for number in dict.fromkeys(each.sources) if 1 <= number <= len(shown)]
        unknown = {*each.sources, *_inline(whole, shown)} - set(range(1, len(shown) + 1))
        for number in sorted(unknown):
            notes.append(f"a claim cites [{number}], which is not a passage that was shown")
        claims[told] = Claim(
            text,
            tuple(cite(text, shown[number - 1]) for number in known),
            unknown_marks(unknown) or Verdict(),
        )
    return tuple(claims.values()), tuple(notes)


def complete_claims(text: str) -> list[WrittenClaim]:
    """Return the claims that are complete in JSON that is still being written.

    >>> complete_claims('{"claims": [{"sources": [1], "text": "It opens."}, {"sources": [2')
    [WrittenClaim(sources=[1], text='It opens.')]
    """
    claims: list[WrittenClaim] = []
    before = _CLAIM_BEGINS.search(text)
    while before is not None:
        try:
            value, end = _DECODER.raw_decode(text, before.end() - 1)
            claims.append(WrittenClaim.model_validate(value))
        except (ValueError, RecursionError):  # not complete, or not what was asked for
            break
        before = _NEXT_CLAIM.match(text, end)
    return claims


def _inline(text: str, shown: Sequence[Passage]) -> Iterator[int]:
    """Yield the numbers of marks inside a claim, except those copied from a passage's text."""
    for _, numbers in unmark(text).marks:
        copied = (f"[{number}]" in each.text for number in numbers for each in shown)
        if not any(copied):
            yield from numbers


def whole_sentences(text: str) -> str:
    """Drop the last sentence of a text, which was cut off."""
    spans = sentence_spans(text)
    return text[: spans[-2][1]] if len(spans) > 1 else ""
