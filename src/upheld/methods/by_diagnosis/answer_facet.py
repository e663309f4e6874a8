"""Answer a facet: search, correct, write, check; all of it beside the other facets."""

from __future__ import annotations

from asyncio import Task
from collections.abc import Sequence
from dataclasses import dataclass, replace

from upheld._internal.concurrency import all_of
from upheld.answer.support import is_checkworthy, is_supported
from upheld.generation.fallback import Write
from upheld.methods.by_diagnosis.cited_passages import resting_on, unseen
from upheld.ports import Searcher
from upheld.retrieval.correct import Correct
from upheld.retrieval.search_more import search_more
from upheld.types import Draft, Evidence, Question, union
from upheld.verification.verify_draft import Check


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

    async def anew(self, facet: Question, seen: Evidence) -> Draft:
        """Another attempt, in other words and wider; only from what was not seen before."""
        query = await self.correct.query(facet)
        places = [self.search] if self.correct.wider is None else [self.search, self.correct.wider]
        found = await all_of(search_more(each, query, "the further search") for each in places)
        here = replace(self, correct=replace(self.correct, wider=None))  # it was looked at just now
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

    async def weighed(self, drafts: Sequence[Draft]) -> list[Draft]:
        """Claims that are not upheld, held against what was found for all facets and by repairs.

        It may uphold them, or say otherwise; that costs no LLM call, and no pair is asked twice.
        """
        everything = union(*(draft.evidence for draft in drafts))
        return await all_of(self._weighed(draft, everything) for draft in drafts)

    async def _weighed(self, draft: Draft, everything: Evidence) -> Draft:
        if all(is_supported(claim) or not is_checkworthy(claim) for claim in draft.claims):
            return draft
        claims = (await self.check(replace(draft, evidence=everything))).claims
        evidence = union(draft.evidence, resting_on(claims, everything))
        return replace(draft, claims=claims, evidence=evidence)
