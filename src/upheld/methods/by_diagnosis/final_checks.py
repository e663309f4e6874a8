"""Final checks of an answer whose claims are supported: is it relevant, and do sources disagree?

A supported claim may still be about something else, and a quote is always supported. Only the
relevance score reads the question beside the sentence. If the best claim has a low relevance, the
sources are quoted instead, which costs no LLM call, or the answer is withheld.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from upheld.generation.fallback import Write
from upheld.methods.by_diagnosis.conflict_detector import ConflictDetector
from upheld.methods.by_diagnosis.unsupported_policy import (
    UnsupportedPolicy,
    apply_policy,
    is_rejected,
    telling_searches,
    with_conflicts,
)
from upheld.planning.facets import facets_hinted
from upheld.ports import Embedder, Grader
from upheld.run.calls import or_default_if_over_budget
from upheld.run.trace import current_run
from upheld.types import Draft, Question
from upheld.verification.judgment import JoinJudgment
from upheld.verification.relevance import score_relevance
from upheld.verification.verify_draft import Check

QUOTED = "the first draft has a low relevance: the sources are quoted instead"
WITHHELD = "the passages found do not seem to answer the question"


@dataclass(frozen=True, kw_only=True)
class RelevanceGate:
    """Quote or withhold an answer of low relevance; without a grader, every answer passes."""

    grader: Grader | None
    embedder: Embedder | None
    quote: Write | None  # None: nobody writes, so that these are quotes already
    check: Check
    enough: float = 0.8  # relevance of the best claim from which the answer stays as written
    least: float = 0.35  # below: the answer is withheld; decisions 011 and 018

    async def __call__(self, draft: Draft, *, alone: bool) -> Draft:
        """The draft, its quotes or nothing; an answer of several facets (not `alone`) passes.

        So do quotes whose writer knew P(right): it has decided already.
        """
        if draft.p_right is not None:
            return draft
        best = await self._best_relevance(draft)
        if not alone or best is None or best >= (self.enough if self.quote else self.least):
            return draft
        if self.quote is not None:
            quoted = await self.check(await self.quote(draft.question, draft.evidence))
            sure = quoted.p_right is not None or best >= self.least
            if quoted.claims and (
                sure or (await self._best_relevance(quoted) or 0.0) >= self.least
            ):
                notes = (*draft.notes, QUOTED)
                return replace(quoted, notes=notes, conflicts=draft.conflicts)
            if best >= self.least:
                return draft
        withheld = replace(draft, claims=(), notes=(*draft.notes, WITHHELD))
        return telling_searches(withheld, current_run().events)

    async def _best_relevance(self, draft: Draft) -> float | None:
        """The highest relevance of the claims that were not rejected."""
        graded = await score_relevance(draft, self.grader, self.embedder)
        accepted = [claim for claim in graded.claims if not is_rejected(claim)]
        scores = [claim.relevance for claim in accepted if claim.relevance is not None]
        return max(scores, default=None)


@dataclass(frozen=True, kw_only=True)
class FinalChecks:
    """The relevance gate, then the conflict detector; neither calls a language model.

    A trained checker is asked at last how probable it finds the answer right.
    """

    relevance_gate: RelevanceGate
    detect_conflicts: ConflictDetector
    join_judgment: JoinJudgment | None = None  # None: there is no checker whose weight is known

    async def __call__(self, draft: Draft, facets: int) -> Draft:
        relevant = await self.relevance_gate(draft, alone=facets == 1)
        checked = await self.detect_conflicts(relevant)
        run = current_run()
        run.offer(checked, run.best_score)  # what is withheld must not come back at a timeout
        if self.join_judgment is None:
            return checked
        return await or_default_if_over_budget(self.join_judgment(checked), checked)


@dataclass(frozen=True, kw_only=True)
class GatedMethod:
    """Another method, which marks and abstains as `upheld` does: `--set relevance_gate=true`.

    So methods can be compared by what they find and write alone. As in `upheld`, an answer to
    several facets passes the relevance gate: no claim of it is relevant to the whole question.
    """

    method: Callable[[Question], Awaitable[Draft]]
    check: Check
    relevance_gate: RelevanceGate

    async def __call__(self, question: Question) -> Draft:
        run = current_run()
        checked = await self.check(await self.method(question))
        checked = checked if checked.conflicts else with_conflicts(checked)
        kept = telling_searches(apply_policy(checked, UnsupportedPolicy.MARK), run.events)
        plans = self.relevance_gate.quote is not None  # without an LLM, `upheld` has one facet
        gated = await self.relevance_gate(kept, alone=not (plans and facets_hinted(question.text)))
        run.offer(gated, run.best_score)
        return gated
