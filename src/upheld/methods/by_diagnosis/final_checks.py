"""The last look at an answer that is upheld: does it answer, and does nobody answer otherwise?

On the point: what bears weakly on the question is told by the sources, or not at all.

What is upheld may still be about something else, and a quote is always upheld. Only `bearing`
reads the question beside the sentence. A small model may have picked half of what answers; what
the sources say themselves costs no call.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from upheld.generation.fallback import Write
from upheld.methods.by_diagnosis.conflict_detector import ConflictDetector
from upheld.methods.by_diagnosis.unsupported_policy import is_rejected, telling_searches
from upheld.ports import Embedder, Grader
from upheld.run.trace import current_run
from upheld.types import Draft
from upheld.verification.relevance import score_relevance
from upheld.verification.verify_draft import Check

QUOTED = "the first draft bears weakly on the question: the sources are quoted instead"
WITHHELD = "what was found does not seem to answer the question"


@dataclass(frozen=True, kw_only=True)
class RelevanceGate:
    """Where nobody can say how claims bear on the question, everything stays as it is."""

    grader: Grader | None
    embedder: Embedder | None
    quote: Write | None  # None: nobody writes, so that these are quotes already
    check: Check
    enough: float = 0.8  # the chance to answer that the best claim must have, to be told as written
    least: float = 0.35  # and to be told at all: decisions 011 and 018

    async def __call__(self, draft: Draft, *, alone: bool) -> Draft:
        """Facets that are not alone bear little on the whole question, and stay."""
        best = await self._bears(draft)
        if not alone or best is None or best >= (self.enough if self.quote else self.least):
            return draft
        if self.quote is not None:
            quoted = await self.check(await self.quote(draft.question, draft.evidence))
            if quoted.claims and max(best, await self._bears(quoted) or 0.0) >= self.least:
                notes = (*draft.notes, QUOTED)
                return replace(quoted, notes=notes, conflicts=draft.conflicts)
            if best >= self.least:
                return draft
        withheld = replace(draft, claims=(), notes=(*draft.notes, WITHHELD))
        return telling_searches(withheld, current_run().events)

    async def _bears(self, draft: Draft) -> float | None:
        """How the best claim bears on the question, of those that did not fall."""
        graded = await score_relevance(draft, self.grader, self.embedder)
        standing = [claim for claim in graded.claims if not is_rejected(claim)]
        chances = [claim.bearing for claim in standing if claim.bearing is not None]
        return max(chances, default=None)


@dataclass(frozen=True, kw_only=True)
class FinalChecks:
    """No language model is asked, and the grader in part the same things, which costs nothing."""

    on_point: RelevanceGate
    rivals: ConflictDetector

    async def __call__(self, draft: Draft, facets: int) -> Draft:
        looked = await self.rivals(await self.on_point(draft, alone=facets == 1))
        run = current_run()
        run.offer(looked, run.best_score)  # what is withheld must not come back when time is up
        return looked
