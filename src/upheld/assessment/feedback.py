"""Feedback (A2R, section 2.4), computed: what to mend below a threshold, what to keep above it.

The paper lets a model write it from the scores, and finds praise beside a score of 0 (Table 7).
Here every line is a finding, and `assess.below` decides what may be affirmed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from upheld.assessment.assess import Aspect, Assessment, Thresholds, below
from upheld.assessment.findings import findings
from upheld.types import Draft

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
