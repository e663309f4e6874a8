"""Assess (A2R, section 2.3): explicit metrics of a draft, without gold, from its verdicts.

The paper holds drafts against gold answers; its footnote 4 names metrics without them for real
use. Ours: support and question coverage instead of correctness, and ALCE's citation metrics
(Gao et al. 2023) read from what the verifier found.

Which parts of a question a text speaks of, by the words that they share.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from statistics import fmean

from upheld.answer.verdicts import is_checkworthy, is_supported
from upheld.run.trace import Score
from upheld.text.words import terms
from upheld.types import Claim, Draft, Support

# Words, without the rest of a contraction: "museum" of "museum's", nothing of "don't".
_WORD = re.compile(r"\b(?:(?<!\w['’])|(?=\w{3}))\w+\b(?!['’]t\b)")

Parts = Mapping[str, frozenset[str]]  # each part with the terms that tell it from the others


def parts_of(question: str, facets: Sequence[str] = ()) -> Parts:
    """What an answer must speak of: the facets, or else the words that carry the question."""
    told = {part: terms(part) for part in facets or _WORD.findall(question)}
    # What all facets share says what the question is about, not which facet is answered.
    shared = frozenset.intersection(*told.values()) if len(facets) > 1 else frozenset()
    parts: dict[frozenset[str], str] = {}
    for part, all_terms in told.items():
        if own := all_terms - shared or all_terms:
            parts.setdefault(own, part)  # the same words again are the same part
    return {part: own for own, part in parts.items()}


def unspoken(parts: Parts, texts: Iterable[str]) -> Parts:
    """The parts of whose terms no text has at least half."""
    said = [terms(text) for text in texts]
    return {
        part: own
        for part, own in parts.items()
        if not any(2 * len(own & each) >= len(own) for each in said)
    }


_MOST_CITATIONS = 3  # that ALCE counts of one sentence


class Aspect(StrEnum):
    """What is measured; each is the name of a field."""

    SUPPORT = "support"
    CITATION_RECALL = "citation_recall"
    CITATION_PRECISION = "citation_precision"
    COVERAGE = "coverage"

    def of(self, values: Assessment | Thresholds) -> float:
        return float(getattr(values, self.value))


@dataclass(frozen=True, slots=True)
class Assessment:
    """S_t: shares between 0 and 1; what cannot be counted is 0, never good by default."""

    support: float
    citation_recall: float
    citation_precision: float
    coverage: float
    missing: tuple[str, ...] = ()  # parts of the question that no supported claim speaks of
    unfound: tuple[str, ...] = ()  # of these: no passage does; only another search can help
    loose: int = 0  # claims that are not supported

    def __str__(self) -> str:
        return ", ".join(
            f"{aspect.value.replace('_', ' ')} {aspect.of(self):.2f}" for aspect in Aspect
        )

    @property
    def score(self) -> Score:
        """Orders drafts: the mean of the shares; of equals, the one with fewer loose claims."""
        return (fmean(aspect.of(self) for aspect in Aspect), -self.loose)


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What each aspect must reach; the defaults are ours: all upheld, half the question told."""

    support: float = 1.0
    citation_recall: float = 1.0
    citation_precision: float = 1.0
    coverage: float = 0.5


def below(assessment: Assessment, thresholds: Thresholds) -> tuple[Aspect, ...]:
    """The aspects that fail. A score of 0 always does: the paper's Table 7 shows it praised."""
    return tuple(
        aspect
        for aspect in Aspect
        if aspect.of(assessment) < aspect.of(thresholds) or aspect.of(assessment) == 0
    )


def assess(draft: Draft, facets: Sequence[str] = ()) -> Assessment:
    """Measure a draft whose claims have been verified; `facets` are parts that the question has."""
    claims = [each for each in draft.claims if is_checkworthy(each)]
    supported = [each.text for each in claims if is_supported(each)]
    parts = parts_of(draft.question.text, facets)
    missing = unspoken(parts, supported)
    passages = [passage.searchable for passage in draft.evidence.passages]
    return Assessment(
        support=_share([is_supported(each) for each in claims]),
        citation_recall=_share([has_recall(each) for each in claims]),
        citation_precision=_share(
            [has_recall(each) and good for each in claims for good in upholding(each).values()]
        ),
        coverage=_share([part not in missing for part in parts] or [bool(supported)]),
        missing=tuple(missing),
        unfound=tuple(unspoken(missing, passages)),
        loose=len(claims) - len(supported),
    )


def upholding(claim: Claim) -> dict[str, bool]:
    """Whether each cited passage upholds the claim, by passage id.

    The verifier calls a citation supported if its passage alone entails the claim, or if none
    does and all cited ones together do. A citation that is not is thus one that ALCE calls
    irrelevant: it fails alone, and the others do without it.
    """
    found: dict[str, bool] = {}
    for each in claim.citations:
        good = each.support is Support.SUPPORTED
        found[each.passage_id] = found.get(each.passage_id, False) or good
    return dict(islice(found.items(), _MOST_CITATIONS))


def has_recall(claim: Claim) -> bool:
    """ALCE: cited passages entail the claim; support from elsewhere does not count."""
    return is_supported(claim) and any(upholding(claim).values())


def _share(good: Sequence[bool]) -> float:
    return sum(good) / len(good) if good else 0.0
