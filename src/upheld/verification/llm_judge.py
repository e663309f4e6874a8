"""Ask a language model about the claims that the small verifier is unsure of, and no others.

The last and most expensive check, off by default: one call for all uncertain claims of an answer,
with the passages they cite and those the verifier found. It never overrules a rule or a
contradiction. If the call fails, the verifier's verdicts stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache

from pydantic import BaseModel, Field, create_model

from upheld.answer.verdicts import downgrade
from upheld.errors import UpheldError
from upheld.ports import LLM, Sampling
from upheld.prompts import Prompt, fence, load
from upheld.run.calls import generate
from upheld.run.trace import current_run
from upheld.types import Cause, Claim, Passage, Support, Verdict, located

# A claim that a rule vetoed or a source contradicts is never judged.
_OPEN_TO_DOUBT = frozenset({Cause.ENTAILED, Cause.ENTAILED_ELSEWHERE, Cause.NOT_ENTAILED})
_TOKENS_PER_VERDICT = 12
_DOUBT = 0.2  # how far from the threshold a score counts as uncertain; chosen, not fitted


def band_around(supported_above: float) -> tuple[float, float]:
    """Return the range of scores, around its threshold, in which the verifier is unsure."""
    return max(0.0, supported_above - _DOUBT), min(1.0, supported_above + _DOUBT)


class Word(StrEnum):
    """What the judge may say about a claim."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    NEITHER = "neither"


_OUTCOMES = {
    Word.SUPPORTED: (Support.SUPPORTED, Cause.ENTAILED, "the judge finds it said"),
    Word.CONTRADICTED: (
        Support.CONTRADICTED,
        Cause.CONTRADICTED,
        "the judge finds that what it cites says otherwise",
    ),
    Word.NEITHER: (
        Support.UNSUPPORTED,
        Cause.NOT_ENTAILED,
        "the judge finds that what it cites does not say this",
    ),
}


class Words(BaseModel):
    """One word a claim, in the order in which they were shown."""

    verdicts: list[Word]


@lru_cache
def words_about(claims: int) -> type[Words]:
    """Return `Words` with a schema that requires exactly as many verdicts as there are claims."""
    bounds = Field(min_length=claims, max_length=claims)
    return create_model("Words", __base__=Words, verdicts=(list[Word], bounds))


@dataclass(frozen=True, kw_only=True)
class JudgeUncertain:
    """Asks about claims with a score in the band; a judged claim's score is an edge of the band."""

    llm: LLM
    band: tuple[float, float]
    prompt: Prompt = field(default_factory=lambda: load("judge"))
    most_text: int = 20_000  # characters of passages; a claim is not judged if its own do not fit

    async def __call__(
        self, claims: Sequence[Claim], passages: Sequence[Passage]
    ) -> tuple[Claim, ...]:
        doubtful, shown = self._shown(claims, located(passages))
        if not doubtful:
            return tuple(claims)
        try:
            texts = [claims[place].text for place in doubtful]
            said = await ask_judge(self.llm, self.prompt, texts, shown)
        except UpheldError as error:
            current_run().degrade("the judge did not answer", error)
            return tuple(claims)
        words = dict(zip(doubtful, said, strict=True))
        return tuple(
            self._judged(claim, words[place]) if place in words else claim
            for place, claim in enumerate(claims)
        )

    def _shown(
        self, claims: Sequence[Claim], known: Mapping[str, Passage]
    ) -> tuple[list[int], list[Passage]]:
        """Return the indexes of the claims to judge, and all passages they cite or rest on."""
        doubtful: list[int] = []
        shown: dict[str, Passage] = {}
        for place, claim in enumerate(claims):
            rests_on = {each.passage_id for each in (*claim.citations, *claim.verdict.evidence_for)}
            if not self._is_uncertain(claim) or not rests_on <= known.keys():
                continue
            longer = {id: each for id, each in known.items() if id in shown or id in rests_on}
            if sum(len(each.searchable) for each in longer.values()) <= self.most_text:
                doubtful.append(place)
                shown = longer
        return doubtful, list(shown.values())

    def _is_uncertain(self, claim: Claim) -> bool:
        """Return whether the score is in the band; a claim without citations cannot be judged."""
        (low, high), verdict = self.band, claim.verdict
        if verdict.probability is None or not low <= verdict.probability < high:
            return False
        open_ = verdict.cause in _OPEN_TO_DOUBT and not verdict.evidence_against
        return open_ and bool(claim.citations)

    def _judged(self, claim: Claim, word: Word) -> Claim:
        low, high = self.band
        support, cause, reason = _OUTCOMES[word]
        upheld, found = support is Support.SUPPORTED, claim.verdict.evidence_for
        citations = claim.citations
        if not upheld:
            citations, found = downgrade(citations), ()
        elif found:
            cause = claim.verdict.cause or cause
        else:  # the judge supports the claim, but nobody checked the words picked in each source
            citations = found = tuple(replace(c, support=Support.NOT_CHECKED) for c in citations)
        score, by = high if upheld else low, self.llm.identity
        verdict = Verdict(support, score, found, (), by, reason, cause)
        return replace(claim, citations=citations, verdict=verdict)


async def ask_judge(
    llm: LLM, prompt: Prompt, claims: Sequence[str], passages: Sequence[Passage]
) -> list[Word]:
    """Return one verdict per claim; fails if the model returns another number of them."""
    messages = prompt.render(
        passages="\n\n".join(fence(passage.searchable) for passage in passages),
        claims="\n\n".join(f"{n}.\n{fence(text)}" for n, text in enumerate(claims, start=1)),
    )
    sampling = Sampling(max_tokens=40 + _TOKENS_PER_VERDICT * len(claims))
    reply = await generate(llm, "judge", messages, words_about(len(claims)), sampling)
    return reply.value.verdicts
