"""Feedback (A2R): findings about a draft, what to mend first, and how the writer is told.

The paper lets a model write it from the scores, and finds praise beside a score of 0 (Table 7).
Here every line is a finding, and `assess.below` decides what may be affirmed.

Scores and what is enough stay as computed, in front of its words, and it speaks only to what is
not enough: so it cannot praise what fails (the paper's Table 7), nor find fault with what passes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from pydantic import BaseModel, Field, create_model
from pydantic.config import JsonDict

from upheld.answer.verdicts import is_checkworthy, is_supported
from upheld.assessment.assess import Aspect, Assessment, Thresholds, below, has_recall, upholding
from upheld.errors import LLMError
from upheld.ports import LLM, Sampling
from upheld.prompts import Prompt, fence, load
from upheld.prompts.prompt import as_written, opening, places
from upheld.run.calls import generate
from upheld.run.trace import current_run
from upheld.types import Citation, Claim, Draft, Support

Numbers = Mapping[str, int]  # of the passages that are shown, by id

_WORDS_OF_A_CLAIM = 8  # enough to find it again


def findings(draft: Draft, assessment: Assessment) -> dict[Aspect, list[str]]:
    """One line a finding, under the one aspect where it is mended."""
    numbers = places(draft)
    claims = [(n, each) for n, each in enumerate(draft.claims, start=1) if is_checkworthy(each)]
    return {
        Aspect.SUPPORT: [_unsupported(n, c, numbers) for n, c in claims if not is_supported(c)],
        Aspect.CITATION_RECALL: [
            _miscited(n, c, numbers) for n, c in claims if is_supported(c) and not has_recall(c)
        ],
        Aspect.CITATION_PRECISION: [
            f"{_name(n, c)} cites {_listed(useless, numbers)} needlessly: drop that."
            for n, c in claims
            if has_recall(c) and (useless := _useless(c))
        ],
        Aspect.COVERAGE: _uncovered(assessment),
    }


def _unsupported(number: int, claim: Claim, numbers: Numbers) -> str:
    verdict = claim.verdict
    match verdict.support:
        case Support.CONTRADICTED:
            told = f"is contradicted by {_listed(verdict.evidence_against, numbers)}: correct it"
        case Support.NOT_CHECKED:
            told = f"could not be checked ({verdict.reason}): keep to the words of a passage"
        case _:
            told = f"is not upheld ({verdict.reason}): say only what a passage says"
    return f"{_name(number, claim)} {told}, or leave it out."


def _miscited(number: int, claim: Claim, numbers: Numbers) -> str:
    cited = _listed(claim.citations, numbers) + " in vain" if claim.citations else "nothing"
    better = _listed(claim.verdict.evidence_for, numbers, "the passage that says it")
    return f"{_name(number, claim)} cites {cited}: cite {better}."


def _useless(claim: Claim) -> list[Citation]:
    upheld = upholding(claim)
    return [each for each in claim.citations if upheld.get(each.passage_id) is False]


def _uncovered(assessment: Assessment) -> list[str]:
    untold = [part for part in assessment.missing if part not in assessment.unfound]
    lines = []
    if untold:
        lines.append(f"No upheld claim speaks of: {', '.join(untold)}. Say what the passages do.")
    if assessment.unfound:
        told = ", ".join(assessment.unfound)
        lines.append(f"No passage speaks of: {told}. Do not fill this in from memory.")
    return lines


def _name(number: int, claim: Claim) -> str:
    words = claim.text.split()
    more = " …" if len(words) > _WORDS_OF_A_CLAIM else ""
    return f'Claim {number} ("{" ".join(words[:_WORDS_OF_A_CLAIM])}{more}")'


def _listed(
    citations: Iterable[Citation], numbers: Numbers, unknown: str = "a passage that is not shown"
) -> str:
    known = {numbers[each.passage_id] for each in citations if each.passage_id in numbers}
    return ", ".join(f"[{number}]" for number in sorted(known)) or unknown


_NAMES = {
    Aspect.SUPPORT: "Claims upheld by the passages",
    Aspect.CITATION_RECALL: "Claims upheld by what they cite",
    Aspect.CITATION_PRECISION: "Citations that uphold their claim",
    Aspect.COVERAGE: "Parts of the question answered",
}
_WITHOUT_FINDING = {  # where an aspect fails for want of anything to find a fault in
    Aspect.SUPPORT: "There is no claim to check: say what the passages say about the question.",
    Aspect.CITATION_RECALL: "A claim must be upheld by the passages that it cites.",
    Aspect.CITATION_PRECISION: "A citation counts only if its claim is upheld.",
    Aspect.COVERAGE: "No upheld claim answers the question.",
}


@dataclass(frozen=True, slots=True)
class Remark:
    """F_t for one aspect: its score, whether that is enough, and what was found."""

    aspect: Aspect
    score: float
    enough: bool
    findings: tuple[str, ...] = ()

    def __str__(self) -> str:
        head = f"{_NAMES[self.aspect]}: {self.score:.2f}, {'' if self.enough else 'not '}enough."
        return "\n- ".join((head, *self.findings))


def feedback(
    draft: Draft, assessment: Assessment, thresholds: Thresholds = Thresholds()
) -> tuple[Remark, ...]:
    """One remark an aspect; what was found is told even where the score is enough."""
    found = findings(draft, assessment)
    failing = below(assessment, thresholds)
    return tuple(
        Remark(
            aspect,
            aspect.of(assessment),
            aspect not in failing,
            tuple(found[aspect] or ([_WITHOUT_FINDING[aspect]] if aspect in failing else [])),
        )
        for aspect in Aspect
    )


def as_text(remarks: Iterable[Remark]) -> str:
    """The feedback as the model reads it."""
    return "\n".join(map(str, remarks))


class Advice(BaseModel):
    """What to change, for each point that is not enough, in order."""

    advice: list[str]


@lru_cache
def advice_on(points: int) -> type[Advice]:
    """`Advice` whose schema has a decoder write on each of so many points, and stop."""
    bounds: JsonDict = {
        "items": {"type": "string", "maxLength": 300},
        "minItems": points,
        "maxItems": points,
    }
    return create_model(
        "Advice", __base__=Advice, advice=(list[str], Field(json_schema_extra=bounds))
    )


@dataclass(frozen=True, kw_only=True)
class Phrase:
    """Remarks in, remarks in the model's words out; where it fails, they stay as they are."""

    llm: LLM
    write: Prompt = field(default_factory=lambda: load("write"))  # the writer's: a shared prefix
    prompt: Prompt = field(default_factory=lambda: load("phrase"))
    max_tokens: int = 640  # four points at their longest, two characters a token

    async def __call__(self, draft: Draft, remarks: Sequence[Remark]) -> tuple[Remark, ...]:
        points = [each for each in remarks if not each.enough]
        if not points:
            return tuple(remarks)  # there is nothing to advise
        turn = self.prompt.render(
            answer=as_written(draft, places(draft)), feedback=fence(as_text(remarks))
        )
        messages = (*opening(self.write, draft), *turn)
        output, sampling = advice_on(len(points)), Sampling(max_tokens=self.max_tokens)
        try:
            reply = await generate(self.llm, "phrase", messages, output, sampling)
        except LLMError as error:
            current_run().degrade("the feedback stands as it was computed", error)
            return tuple(remarks)
        said = dict(zip(points, reply.value.advice, strict=False))
        return tuple(worded(each, said.get(each, "")) for each in remarks)


def worded(remark: Remark, words: str) -> Remark:
    """The remark in these words, on one line; without any, in its own."""
    line = " ".join(words.split())
    return replace(remark, findings=(line,)) if line else remark
