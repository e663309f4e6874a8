"""Offer: the drafts of a question's facets, as the one answer that they make, to the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from upheld.generation.join import join
from upheld.methods.by_diagnosis.conflict import with_conflicts
from upheld.methods.by_diagnosis.score_draft import standing
from upheld.methods.by_diagnosis.unsupported_policy import Leftover, fell, settled, telling_searches
from upheld.run.trace import Run, Score, span
from upheld.types import Draft, Question


@dataclass(frozen=True, slots=True)
class Offer:
    """What is offered is settled, for the run may end here; it is scored before it is.

    Else a sentence that was upheld by a repair would count no more than one that was dropped.
    """

    question: Question
    run: Run
    leftover: Leftover

    def __call__(self, drafts: Sequence[Draft], score: Score | None = None) -> Score:
        """Returns the score: the answer's own, where none is given."""
        answer = with_conflicts(join(self.question, drafts))
        if score is None:
            score = standing(answer, drafts, self.run.meter.used.completions)
        self.run.offer(settled(answer, self.leftover), score)
        return score

    def last(self, drafts: Sequence[Draft]) -> Draft:
        """The best of all that was offered, for the reader; `drafts` are where repairs ended."""
        best = telling_searches(self.run.best or Draft(self.question), self.run.events)
        self.run.offer(best, self.run.best_score)
        fallen = sum(fell(claim) for draft in drafts for claim in draft.claims)
        shown = sum(map(fell, best.claims))
        with span("settle", note=f"{fallen} claims did not hold, {shown} of them are shown"):
            return best
