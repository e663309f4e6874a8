"""Assess (A2R, section 2.3): explicit metrics of a draft, without gold answers, from its verdicts.

The paper compares drafts with gold answers; its footnote 4 names metrics without them for real use.
Ours are support and question coverage instead of correctness, and ALCE's citation metrics (Gao et
al. 2023), computed from the verifier's verdicts.

Coverage is which parts of the question a text mentions, by the words that they share.
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

# Words without contractions: "museum" of "museum's", nothing of "don't".
_WORD = re.compile(r"\b(?:(?<!\w['’])|(?=\w{3}))\w+\b(?!['’]t\b)")

Parts = Mapping[str, frozenset[str]]  # each part with the terms that distinguish it


def parts_of(question: str, facets: Sequence[str] = ()) -> Parts:
    """Return the parts that an answer must cover: the facets, or else the content words."""
    told = {part: terms(part) for part in facets or _WORD.findall(question)}
    # Terms that all facets share name the topic; they do not tell which facet is answered.
    shared = frozenset.intersection(*told.values()) if len(facets) > 1 else frozenset()
    parts: dict[frozenset[str], str] = {}
    for part, all_terms in told.items():
        if own := all_terms - shared or all_terms:
            parts.setdefault(own, part)  # the same terms again are the same part
    return {part: own for own, part in parts.items()}


def unspoken(parts: Parts, texts: Iterable[str]) -> Parts:
    """Return the parts for which no text has at least half of the terms."""
    said = [terms(text) for text in texts]
    return {
        part: own
        for part, own in parts.items()
        if not any(2 * len(own & each) >= len(own) for each in said)
    }


_MOST_CITATIONS = 3  # ALCE counts at most three per sentence


class Aspect(StrEnum):
    """The metrics; each value is the name of a field of `Assessment` and `Thresholds`."""

    SUPPORT = "support"
    CITATION_RECALL = "citation_recall"
    CITATION_PRECISION = "citation_precision"
    COVERAGE = "coverage"

    def of(self, values: Assessment | Thresholds) -> float:
        return float(getattr(values, self.value))


@dataclass(frozen=True, slots=True)
class Assessment:
    """S_t of the paper: shares between 0 and 1; a metric with nothing to count is 0, never good."""

    support: float
    citation_recall: float
    citation_precision: float
    coverage: float
    missing: tuple[str, ...] = ()  # parts of the question that no supported claim covers
    unfound: tuple[str, ...] = ()  # of these: those that no passage covers either
    loose: int = 0  # claims that are not supported

    def __str__(self) -> str:
        return ", ".join(
            f"{aspect.value.replace('_', ' ')} {aspect.of(self):.2f}" for aspect in Aspect
        )

    @property
    def score(self) -> Score:
        """The sort key of drafts: the mean of the metrics, then fewer unsupported claims."""
        return (fmean(aspect.of(self) for aspect in Aspect), -self.loose)


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The least value of each metric; the defaults are ours: all supported, half covered."""

    support: float = 1.0
    citation_recall: float = 1.0
    citation_precision: float = 1.0
    coverage: float = 0.5


def below(assessment: Assessment, thresholds: Thresholds) -> tuple[Aspect, ...]:
    """Return the metrics that fail; 0 always does (the paper's Table 7 shows it praised)."""
    return tuple(
        aspect
        for aspect in Aspect
        if aspect.of(assessment) < aspect.of(thresholds) or aspect.of(assessment) == 0
    )


def assess(draft: Draft, facets: Sequence[str] = ()) -> Assessment:
    """Measure a draft whose claims have been verified; `facets` are the parts of its question."""
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
    """Return whether each cited passage supports the claim, by passage id.

    The verifier calls a citation supported if its passage alone entails the claim, or if no single
    one does and all cited ones together do. Any other citation is one that ALCE calls irrelevant:
    it fails alone, and the others do without it.
    """
    found: dict[str, bool] = {}
    for each in claim.citations:
        good = each.support is Support.SUPPORTED
        found[each.passage_id] = found.get(each.passage_id, False) or good
    return dict(islice(found.items(), _MOST_CITATIONS))


def has_recall(claim: Claim) -> bool:
    """Return whether cited passages entail the claim (ALCE); uncited ones do not count."""
    return is_supported(claim) and any(upholding(claim).values())


def _share(good: Sequence[bool]) -> float:
    return sum(good) / len(good) if good else 0.0
