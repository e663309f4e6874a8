"""What was found about a draft, in words: which claim, which citation, what is missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from upheld.answer.support import is_checkworthy, is_supported
from upheld.assessment.assess import Aspect, Assessment, has_recall, upholding
from upheld.prompts.conversation import places
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
