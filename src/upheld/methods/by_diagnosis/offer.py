"""Offer: the drafts of a question's facets, as the one answer that they make, to the run.

Its score compares answers by the verdicts on their claims; no model is asked for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from upheld.answer.verdicts import is_checkworthy, is_supported
from upheld.assessment.assess import parts_of, unspoken
from upheld.generation.join import join
from upheld.methods.by_diagnosis.unsupported_policy import (
    UnsupportedPolicy,
    apply_policy,
    is_rejected,
    telling_searches,
    with_conflicts,
)
from upheld.run.trace import Run, Score, span
from upheld.types import Draft, Question, Support


def score_draft(answer: Draft, drafts: Sequence[Draft], llm_calls: int) -> Score:
    """Of an answer and the drafts of the facets that it was joined from.

    Compared in this order: fewer contradicted claims, more facets covered by a supported claim, a
    larger supported share, fewer LLM calls. So dropping everything does not win.
    """
    claims = [claim for claim in answer.claims if is_checkworthy(claim)]
    contradicted = sum(claim.verdict.support is Support.CONTRADICTED for claim in claims)
    share = sum(map(is_supported, claims)) / len(claims) if claims else 0.0
    return (-contradicted, len(covered(drafts)), share, -llm_calls)


def covered(drafts: Sequence[Draft]) -> frozenset[Question]:
    """The facets that a supported claim answers: their own, or one of another that speaks of them.

    A question with one facet is covered by any supported claim: a search was made for it alone.
    """
    supported = {
        draft.question: [claim.text for claim in draft.claims if is_supported(claim)]
        for draft in drafts
    }
    own = {facet for facet, texts in supported.items() if texts}
    parts = parts_of("", [facet.text for facet in supported])
    missing = unspoken(parts, [text for texts in supported.values() for text in texts])
    spoken = {facet for facet in supported if facet.text in parts and facet.text not in missing}
    return frozenset(own | spoken)


@dataclass(frozen=True, slots=True)
class Offer:
    """Offers drafts to the run, with the policy for unsupported claims applied.

    They are scored before the policy is applied: else a sentence that a repair got supported would
    count no more than one that was dropped.
    """

    question: Question
    run: Run
    unsupported: UnsupportedPolicy

    def __call__(self, drafts: Sequence[Draft], score: Score | None = None) -> Score:
        """Returns the score: the answer's own, where none is given."""
        answer = with_conflicts(join(self.question, drafts))
        if score is None:
            score = score_draft(answer, drafts, self.run.meter.used.completions)
        self.run.offer(apply_policy(answer, self.unsupported), score)
        return score

    def last(self, drafts: Sequence[Draft]) -> Draft:
        """The best of all that was offered, for the reader; `drafts` are where repairs ended."""
        best = telling_searches(self.run.best or Draft(self.question), self.run.events)
        self.run.offer(best, self.run.best_score)
        fallen = sum(is_rejected(claim) for draft in drafts for claim in draft.claims)
        shown = sum(map(is_rejected, best.claims))
        with span("apply_policy", note=f"{fallen} claims were rejected, {shown} of them are shown"):
            return best
