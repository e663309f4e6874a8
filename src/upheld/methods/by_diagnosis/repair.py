"""Repair: the cheapest repair for each fault; only supported claims replace what was there.

| fault | repair |
|---|---|
| unsupported | search for the claim; the same claim held against what is new; then restate it |
| contradicted | restate it from the passage that says otherwise |
| unanswered | search in other words, and elsewhere; a factored answer |
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from upheld.answer.verdicts import is_checkworthy, is_supported
from upheld.errors import LLMError
from upheld.generation.refine import Restate
from upheld.methods.by_diagnosis.answer_facet import AnswerFacet, cited_passages, unseen
from upheld.methods.by_diagnosis.diagnose import Contradicted, Fault, Unanswered, Unsupported
from upheld.methods.by_diagnosis.offer import Offer
from upheld.retrieval.search import search_more
from upheld.run.calls import gather_partial
from upheld.run.trace import current_run, span
from upheld.text.words import words
from upheld.types import Claim, Draft, Evidence, Question, Support, union


@dataclass(frozen=True, slots=True)
class Repaired:
    """What stands in the place of a fault, and what it rests on; no claims: it stays as it is."""

    fault: Fault
    claims: tuple[Claim, ...] = ()
    evidence: Evidence = Evidence()


@dataclass(frozen=True, kw_only=True)
class Repair:
    """One repair is one span of the trace; what it costs stands under it."""

    answer: AnswerFacet  # and how it searches and checks
    restate: Restate | None  # None: there is no language model, sentences stay as they are

    async def __call__(self, fault: Fault, drafts: Sequence[Draft]) -> Repaired:
        """`drafts` are those of all facets: what they know need not be found again."""
        with span("repair", note=str(fault)) as step:
            mended = await self._mended(fault, drafts)
            good = tuple(claim for claim in mended.claims if _may_stand(fault, claim))
            step.note = f"{fault} -> {' '.join(claim.text for claim in good) or 'as it was'}"
            step.found = {"fault": str(fault), "repaired": [claim.text for claim in good]}
            return Repaired(fault, good, cited_passages(good, mended.evidence))

    async def _mended(self, fault: Fault, drafts: Sequence[Draft]) -> Draft:
        at_hand = union(*(draft.evidence for draft in drafts))
        match fault:
            case Unsupported(facet, claim):
                return await self._retrieved(facet, claim, at_hand)
            case Contradicted(facet, claim):
                return await self._restated(facet, claim, at_hand)
            case Unanswered(facet):
                # Passages of other facets were not tried for this one.
                own = [draft.evidence for draft in drafts if draft.question == facet]
                return await self._answered(facet, union(*own))

    async def _retrieved(self, facet: Question, claim: Claim, evidence: Evidence) -> Draft:
        query = Question(claim.text, parent=facet.id)
        new = unseen(
            await search_more(self.answer.search, query, "the search for a claim"), evidence
        )
        if new:
            held = await self.answer.check(Draft(facet, (claim,), new))
            if all(map(is_supported, held.claims)):
                return held
            if held.claims[0].verdict.support is Support.CONTRADICTED:
                claim = replace(claim, verdict=held.claims[0].verdict)
        return await self._restated(facet, claim, evidence, new)

    async def _restated(
        self, facet: Question, claim: Claim, evidence: Evidence, new: Evidence = Evidence()
    ) -> Draft:
        """Told from what says otherwise, then by turns from what is new and what it cites."""
        if self.restate is None:
            current_run().degrade("no language model: a claim was not restated")
            return Draft(facet)
        against = {each.passage_id for each in claim.verdict.evidence_against}
        shown = union(new, cited_passages((claim,), evidence))
        first = Evidence(tuple(hit for hit in shown if hit.passage.id in against))
        shown = Evidence((*first.hits, *unseen(shown, first).hits))
        return await self.answer.check(await self.restate(facet, claim, shown))

    async def _answered(self, facet: Question, seen: Evidence) -> Draft:
        try:
            return await self.answer.retry(facet, seen)
        except LLMError as error:
            current_run().degrade("a facet stays unanswered", error)
            return Draft(facet)


def _may_stand(fault: Fault, claim: Claim) -> bool:
    """Only what is upheld mends a fault; what cannot be checked is still more than no answer."""
    if isinstance(fault, Unanswered) and claim.verdict.support is Support.NOT_CHECKED:
        return True
    return is_supported(claim)


def applied(drafts: Sequence[Draft], repaired: Repaired) -> list[Draft]:
    """The drafts with a repair in the place of its fault, wherever that is said."""
    return [_applied(draft, repaired) for draft in drafts]


def _applied(draft: Draft, repaired: Repaired) -> Draft:
    fault = repaired.fault
    if not repaired.claims:
        return draft
    if isinstance(fault, Unanswered):
        if draft.question != fault.facet or any(map(is_checkworthy, draft.claims)):
            return draft
        claims = repaired.claims
    else:
        told = words(fault.claim.text)
        claims = tuple(
            each
            for claim in draft.claims
            for each in (repaired.claims if words(claim.text) == told else (claim,))
        )
        if claims == draft.claims:
            return draft
    return replace(draft, claims=claims, evidence=union(draft.evidence, repaired.evidence))


async def repair_all(
    drafts: Sequence[Draft], faults: Iterable[Fault], repair: Repair, offer: Offer
) -> Sequence[Draft]:
    """One round: all repairs at once, each offered as soon as it is made."""
    result = drafts

    def take(repaired: Repaired) -> None:
        nonlocal result
        result = applied(result, repaired)
        offer(result)

    await gather_partial((repair(fault, drafts) for fault in faults), take)
    return result
