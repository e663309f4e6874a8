"""Answer a facet: search, correct, write, check; all of it beside the other facets.

Which passages claims rest on, and which are new.
"""

from __future__ import annotations

from asyncio import Task
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from upheld._internal.concurrency import all_of
from upheld.answer.verdicts import is_checkworthy, is_supported
from upheld.generation.fallback import Write
from upheld.ports import Searcher
from upheld.retrieval.correct import Correct
from upheld.retrieval.search import search_more
from upheld.types import Claim, Draft, Evidence, Question, union
from upheld.verification.verify_draft import Check


def cited_passages(claims: Iterable[Claim], evidence: Evidence) -> Evidence:
    """Of the evidence, what the claims cite and what their verdicts point at."""
    named = {
        each.passage_id
        for claim in claims
        for each in (
            *claim.citations,
            *claim.verdict.evidence_for,
            *claim.verdict.evidence_against,
        )
    }
    return Evidence(tuple(hit for hit in evidence if hit.passage.id in named))


def unseen(found: Evidence, seen: Evidence) -> Evidence:
    """What was found and is not at hand already."""
    known = {passage.id for passage in seen.passages}
    return Evidence(tuple(hit for hit in found if hit.passage.id not in known))


@dataclass(frozen=True, kw_only=True)
class AnswerFacet:
    """A checked draft for one facet; without claims where nothing found is worth writing from."""

    search: Searcher
    correct: Correct
    write: Write
    check: Check

    async def __call__(self, facet: Question, whole: Question, found: Task[Evidence]) -> Draft:
        """`found` is for the whole question, of which this is a facet, perhaps the only one."""
        if facet is whole:
            return await self._answered(facet, await found)
        return await self._answered(facet, await self.search(facet), found)

    async def retry(self, facet: Question, seen: Evidence) -> Draft:
        """Search again, in other words and with the fallback; write only from unseen passages."""
        query = await self.correct.query(facet)
        fallback = self.correct.fallback_search
        places = [self.search] if fallback is None else [self.search, fallback]
        found = await all_of(search_more(each, query, "the further search") for each in places)
        # The fallback was searched just now.
        here = replace(self, correct=replace(self.correct, fallback_search=None))
        return await here._answered(facet, unseen(union(*found), seen))

    async def _answered(
        self, facet: Question, found: Evidence, instead: Task[Evidence] | None = None
    ) -> Draft:
        evidence = await self.correct(facet, found, instead)
        if not evidence:
            return Draft(facet, evidence=found)
        draft = await self.check(await self.write(facet, evidence))
        # What says nothing is not looked at again: an empty draft names all that it was tried on.
        return draft if draft.claims else replace(draft, evidence=union(evidence, found))

    async def recheck(self, drafts: Sequence[Draft]) -> list[Draft]:
        """Check unsupported claims again, against the evidence of all facets and of repairs.

        This makes no LLM call, and no pair of claim and passage is scored twice.
        """
        everything = union(*(draft.evidence for draft in drafts))
        return await all_of(self._recheck(draft, everything) for draft in drafts)

    async def _recheck(self, draft: Draft, everything: Evidence) -> Draft:
        if all(is_supported(claim) or not is_checkworthy(claim) for claim in draft.claims):
            return draft
        claims = (await self.check(replace(draft, evidence=everything))).claims
        evidence = union(draft.evidence, cited_passages(claims, everything))
        return replace(draft, claims=claims, evidence=evidence)
