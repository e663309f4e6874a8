"""On the point: a draft none of whose sentences answers the question is no answer.

What is upheld may still be about something else, and a quote is always upheld. Only `bearing`
reads the question beside the sentence.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from upheld.ports import Embedder, Grader
from upheld.stages.bearing import with_bearing
from upheld.stages.diagnosis.settle import telling_searches
from upheld.trace import current_run
from upheld.types import Draft

WITHHELD = "what was found does not seem to answer the question"


@dataclass(frozen=True, kw_only=True)
class OnPoint:
    """Withholds the whole; where nobody can say how claims bear on the question, nothing."""

    grader: Grader | None
    embedder: Embedder | None
    least: float = 0.35  # the chance to answer that the best claim must have: decision 011

    async def __call__(self, draft: Draft, *, alone: bool) -> Draft:
        """Facets that are not alone bear little on the whole question, and stay."""
        graded = await with_bearing(draft, self.grader, self.embedder)
        chances = [claim.bearing for claim in graded.claims if claim.bearing is not None]
        if not alone or not chances or max(chances) >= self.least:
            return draft
        withheld = replace(draft, claims=(), notes=(*draft.notes, WITHHELD))
        return telling_searches(withheld, current_run().events)
