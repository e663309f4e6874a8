"""Judge: a language model's word on claims that the small verifier is unsure of, and on no others.

The last and dearest rung, off unless it is asked for: one call for all uncertain claims of an
answer, about what they cite and what the verifier found. It never overrules a rule or a
contradiction, and where the call fails the verifier's verdicts stand.
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

# Not what a rule vetoed, nor what a source contradicts.
_OPEN_TO_DOUBT = frozenset({Cause.ENTAILED, Cause.ENTAILED_ELSEWHERE, Cause.NOT_ENTAILED})
_TOKENS_PER_VERDICT = 12
_DOUBT = 0.2  # how far from the threshold a score is open to doubt; chosen, not fitted


def band_around(supported_above: float) -> tuple[float, float]:
    """The scores in which the verifier is unsure: those near its threshold."""
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
    """`Words` whose schema admits as many as there are claims."""
    bounds = Field(min_length=claims, max_length=claims)
    return create_model("Words", __base__=Words, verdicts=(list[Word], bounds))


@dataclass(frozen=True, kw_only=True)
class JudgeUncertain:
    """Verdicts in the band are asked again; a judged claim's score is the edge of the band."""

    llm: LLM
    band: tuple[float, float]
    prompt: Prompt = field(default_factory=lambda: load("judge"))
    most_text: int = 20_000  # characters of passages; a claim whose own do not fit is not judged

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
        """The places of the claims to judge, and all that they rest on: nothing of it left out."""
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
        """In the band; a claim that cites nothing has nothing that it can be judged by."""
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
        else:  # the judge vouches for the claim, and nobody for the words picked in each source
            citations = found = tuple(replace(c, support=Support.NOT_CHECKED) for c in citations)
        score, by = high if upheld else low, self.llm.identity
        verdict = Verdict(support, score, found, (), by, reason, cause)
        return replace(claim, citations=citations, verdict=verdict)


async def ask_judge(
    llm: LLM, prompt: Prompt, claims: Sequence[str], passages: Sequence[Passage]
) -> list[Word]:
    """One word on each claim; another number of words than asked for is an error."""
    messages = prompt.render(
        passages="\n\n".join(fence(passage.searchable) for passage in passages),
        claims="\n\n".join(f"{n}.\n{fence(text)}" for n, text in enumerate(claims, start=1)),
    )
    sampling = Sampling(max_tokens=40 + _TOKENS_PER_VERDICT * len(claims))
    reply = await generate(llm, "judge", messages, words_about(len(claims)), sampling)
    return reply.value.verdicts
