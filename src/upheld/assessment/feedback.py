"""Feedback (A2R): findings about a draft, and the text in which the writer gets them.

In the paper a model writes the feedback from the scores, and praises a score of 0 (Table 7). Here
every line is a computed finding, and `assess.below` decides what may be affirmed.

`Phrase` may let a model reword findings. Scores and "enough" stay as computed, before its words,
and it rewords only what is not enough. So it can neither praise what fails nor criticise what
passes.
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

Numbers = Mapping[str, int]  # numbers of the passages in the prompt, by passage id

_WORDS_OF_A_CLAIM = 8  # enough to recognise the claim


def findings(draft: Draft, assessment: Assessment) -> dict[Aspect, list[str]]:
    """Return one line per finding, under the aspect that its repair improves."""
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
_WITHOUT_FINDING = {  # for an aspect that fails without a single finding
    Aspect.SUPPORT: "There is no claim to check: say what the passages say about the question.",
    Aspect.CITATION_RECALL: "A claim must be upheld by the passages that it cites.",
    Aspect.CITATION_PRECISION: "A citation counts only if its claim is upheld.",
    Aspect.COVERAGE: "No upheld claim answers the question.",
}


@dataclass(frozen=True, slots=True)
class Remark:
    """F_t of the paper for one aspect: its score, whether that is enough, and the findings."""

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
    """Return one remark per aspect; findings are listed even if the score is enough."""
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
    """Return the feedback as text for the prompt."""
    return "\n".join(map(str, remarks))


class Advice(BaseModel):
    """What to change, for each point that is not enough, in order."""

    advice: list[str]


@lru_cache
def advice_on(points: int) -> type[Advice]:
    """Return `Advice` with a schema that requires exactly `points` entries."""
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
    """Rewords the findings of failing aspects with a model; if it fails, they stay as computed."""

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
    """Replace the findings of a remark by these words on one line; unchanged if there are none."""
    line = " ".join(words.split())
    return replace(remark, findings=(line,)) if line else remark
