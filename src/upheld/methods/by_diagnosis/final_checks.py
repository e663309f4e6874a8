"""The last look at an answer that is upheld: does it answer, and does nobody answer otherwise?"""

from __future__ import annotations

from dataclasses import dataclass

from upheld.methods.by_diagnosis.conflict_detector import Rivals
from upheld.methods.by_diagnosis.relevance_gate import OnPoint
from upheld.run.trace import current_run
from upheld.types import Draft


@dataclass(frozen=True, kw_only=True)
class LastLook:
    """No language model is asked, and the grader in part the same things, which costs nothing."""

    on_point: OnPoint
    rivals: Rivals

    async def __call__(self, draft: Draft, facets: int) -> Draft:
        looked = await self.rivals(await self.on_point(draft, alone=facets == 1))
        run = current_run()
        run.offer(looked, run.best_score)  # what is withheld must not come back when time is up
        return looked
