"""Aggregate the entailment scores of many premises into one probability that a claim is supported.

The maximum over many windows picks up noise: the more windows, the higher it is. So the fit also
uses the second best score, the score of the sentences gathered from the whole source, the number of
premises, and the share of words that claim and source have in common. The weights are fitted on
labelled claims, together with the model.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property

from upheld._internal.probability import logit, sigmoid
from upheld.text.words import terms
from upheld.verification.premises import Finding, Task
from upheld.verification.source import Source

_BOUND = 1e-4  # clip probabilities this close to 0 and 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """The inputs to the fit: features of one claim and the sources read for it."""

    best: float  # logit of entailment by the premise that supports most
    second: float  # the same, by the second best premise
    gathered: float  # by the sentences nearest to the claim, from all of a source
    against: float  # logit of contradiction by the premise that contradicts most, of any source
    premises: float  # log of the number of premises read
    overlap: float  # share of the claim's terms that occur in the sources
    objected: float  # 1 if a rule vetoes every premise


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregate:
    """A logistic regression over the features; by default, the best premise's probability."""

    best: float = 1.0
    second: float = 0.0
    gathered: float = 0.0
    against: float = 0.0
    premises: float = 0.0
    overlap: float = 0.0
    objected: float = -20.0
    bias: float = 0.0

    def __call__(self, features: Features) -> float:
        logits = (
            self.best * features.best
            + self.second * features.second
            + self.gathered * features.gathered
            + self.against * features.against
            + self.premises * features.premises
            + self.overlap * features.overlap
            + self.objected * features.objected
        )
        return sigmoid(self.bias + logits)


NAMED = fields(Features)


@dataclass(frozen=True)
class SourceScore:
    """All findings about a claim in the same sources, with their features."""

    task: Task
    sources: tuple[Source, ...]
    findings: tuple[Finding, ...]
    against: float  # the highest contradiction score of any source

    @cached_property
    def features(self) -> Features:
        return _features(self.task, self.sources, self.findings, self.against)

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


def source_scores(task: Task, findings: Sequence[Finding]) -> list[SourceScore]:
    """Group findings by source: one score per source read alone, one per set read together."""
    groups: dict[tuple[Source, ...], list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.sources, []).append(finding)
    against = max((each.judgement.contradicts for each in findings), default=0.0)
    return [SourceScore(task, sources, tuple(group), against) for sources, group in groups.items()]


def _features(
    task: Task, sources: Sequence[Source], findings: Sequence[Finding], against: float
) -> Features:
    free = _free(findings)
    supports = sorted((logit(each.judgement.entails, _BOUND) for each in free), reverse=True)
    gathered = [logit(each.judgement.entails, _BOUND) for each in free if each.premise.gathered]
    told = terms(task.said)
    found = frozenset[str]().union(*(source.terms_of(task.said) for source in sources))
    return Features(
        best=supports[0],
        second=supports[1] if len(supports) > 1 else supports[0],
        gathered=max(gathered, default=supports[0]),
        against=logit(against, _BOUND),
        premises=math.log(len(findings)),
        overlap=len(found) / len(told) if told else 0.0,
        objected=float(all(each.veto is not None for each in findings)),
    )


def _free(findings: Sequence[Finding]) -> Sequence[Finding]:
    """The findings without a veto, or all if every one has a veto."""
    return [each for each in findings if each.veto is None] or findings
