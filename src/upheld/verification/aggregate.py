"""Aggregate the entailment scores of many premises into one probability that a claim is supported.

The maximum over many windows picks up noise: the more windows, the higher it is. So the fit also
uses the second best score, the score of the sentences gathered from the whole source, the number of
premises, the share of words that claim and source have in common, and how their values and words
compare one by one (`alignment`). The weights are fitted on labelled claims, together with the
model.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property

from upheld._internal.probability import logit, sigmoid
from upheld.text.words import terms
from upheld.types import Cause
from upheld.verification.alignment import ALIGNED, Alignment, align
from upheld.verification.premises import Finding, Task
from upheld.verification.source import Source

_ABSENT = {Cause.FIGURE_ABSENT, Cause.NAME_ABSENT, Cause.NOT_ASSERTED}
_BOUND = 1e-4  # clip probabilities this close to 0 and 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Features(Alignment):
    """The inputs to the fit: features of one claim and the sources read for it."""

    best: float  # logit of entailment by the premise that supports most
    second: float  # the same, by the second best premise
    gathered: float  # by the sentences nearest to the claim, from all of a source
    against: float  # logit of contradiction by the premise that contradicts most, of any source
    premises: float  # log of the number of premises read
    overlap: float  # share of the claim's terms that occur in the sources
    objected: float  # 1 if every premise denies the claim or leaves it open
    focus: float = 0.0  # logit of entailment by the sentence nearest to the claim
    focus_against: float = 0.0  # logit of contradiction by it
    sources: float = 0.0  # log of the number of sources read together
    figure_absent: float = 0.0  # 1 if every premise lacks a figure of the claim
    name_absent: float = 0.0  # 1 if every premise lacks a name of it


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregate(Features):
    """A logistic regression: a weight for each feature; by default, the best premise counts."""

    best: float = 1.0
    second: float = 0.0
    gathered: float = 0.0
    against: float = 0.0
    premises: float = 0.0
    overlap: float = 0.0
    objected: float = -20.0
    figure_absent: float = -20.0
    name_absent: float = -20.0
    bias: float = 0.0

    def __call__(self, features: Features) -> float:
        products = (getattr(self, name) * getattr(features, name) for name in NAMES)
        return sigmoid(self.bias + sum(products))


NAMES = tuple(each.name for each in fields(Features))


@dataclass(frozen=True)
class SourceScore:
    """All findings about a claim in the same sources, with their features."""

    task: Task
    sources: tuple[Source, ...]
    findings: tuple[Finding, ...]
    against: float  # the highest contradiction score of any source
    focused: tuple[Finding, ...] = ()  # about the nearest sentence of each of the sources

    @cached_property
    def features(self) -> Features:
        return _features(self)

    @property
    def alone(self) -> bool:
        return len(self.sources) == 1

    @property
    def best(self) -> Finding:
        """The finding with the highest entailment score; those without a veto come first."""
        return max(_free(self.findings), key=lambda each: each.judgement.entails)

    @cached_property
    def contradicts(self) -> float:
        return max(each.judgement.contradicts for each in self.findings)

    @property
    def is_vetoed(self) -> bool:
        """Whether a rule vetoes every premise."""
        return all(each.veto is not None for each in self.findings)


def source_scores(task: Task, findings: Sequence[Finding]) -> list[SourceScore]:
    """Group findings by source: one score per source read alone, one per set read together."""
    groups: dict[tuple[Source, ...], list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.sources, []).append(finding)
    against = max((each.judgement.contradicts for each in _unfocused(findings)), default=0.0)
    focused = {each.sources[0]: each for each in findings if each.premise.focused}
    return [
        SourceScore(
            task,
            sources,
            tuple(group),
            against,
            tuple(focused[each] for each in sources if each in focused),
        )
        for sources, group in groups.items()
    ]


def _features(score: SourceScore) -> Features:
    task, sources, against = score.task, score.sources, score.against
    read = _unfocused(score.findings)
    free = _free(read)
    supports = sorted((logit(each.judgement.entails, _BOUND) for each in free), reverse=True)
    gathered = [logit(each.judgement.entails, _BOUND) for each in free if each.premise.gathered]
    told = terms(task.said)
    found = frozenset[str]().union(*(source.terms_of(task.said) for source in sources))
    vetoes = {None if each.veto is None else each.veto.cause for each in read}
    focus, focus_against = _focus(score.focused, found, supports[0], logit(against, _BOUND))
    aligned = align(task.said, sources)
    return Features(
        best=supports[0],
        second=supports[1] if len(supports) > 1 else supports[0],
        gathered=max(gathered, default=supports[0]),
        against=logit(against, _BOUND),
        premises=math.log(len(read)),
        overlap=len(found) / len(told) if told else 0.0,
        objected=float(vetoes == {Cause.NOT_ASSERTED}),
        focus=focus,
        focus_against=focus_against,
        sources=math.log(len(sources)),
        # A sum of the source's values, or a value within its bounds, has a match.
        figure_absent=float(
            (vetoes <= _ABSENT and Cause.FIGURE_ABSENT in vetoes and aligned.quantity_match == 0)
            or all(each.veto is not None and each.veto.of_other_row for each in read)
        ),
        name_absent=float(vetoes <= _ABSENT and Cause.NAME_ABSENT in vetoes),
        **{each.name: getattr(aligned, each.name) for each in ALIGNED},
    )


def _focus(
    focused: Sequence[Finding], found: frozenset[str], best: float, against: float
) -> tuple[float, float]:
    """Return logits of entailment and contradiction by the sentences nearest to the claim.

    The sentence counts as far as it has the claim's terms that the source has; for the rest, the
    other premises do: it may begin with "It", or say only half of what the claim says.
    """
    if not focused:
        return best, against
    text = " ".join(each.premise.text for each in focused)
    share = len(found & terms(text)) / len(found) if found else 1.0
    entails = logit(max(each.judgement.entails for each in focused), _BOUND)
    contradicts = logit(max(each.judgement.contradicts for each in focused), _BOUND)
    return best + share * (entails - best), against + share * (contradicts - against)


def _unfocused(findings: Sequence[Finding]) -> Sequence[Finding]:
    """The findings about more than one sentence, or all if there are no others."""
    return [each for each in findings if not each.premise.focused] or findings


def _free(findings: Sequence[Finding]) -> Sequence[Finding]:
    """The findings without a veto, or all if every one has a veto."""
    return [each for each in findings if each.veto is None] or findings
