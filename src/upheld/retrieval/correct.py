"""Correct: evidence that is worth writing from, or none (CRAG's actions).

`corrected_evidence` is the paper's correction, for any question; `Correct` is the stage of our own
method, which grades first and may fall back on another search.
"""

from __future__ import annotations

from asyncio import Task
from dataclasses import dataclass

from upheld._internal.concurrency import together
from upheld.ports import Searcher
from upheld.retrieval.distil import Distil
from upheld.retrieval.grade import Action, Grade, Graded
from upheld.retrieval.rewrite import Rewrite
from upheld.retrieval.search import search_more
from upheld.run.calls import or_default_if_over_budget
from upheld.types import Evidence, Question, union


async def corrected_evidence(
    question: Question,
    graded: Graded,
    *,
    distil: Distil | None,
    rewrite: Rewrite | None,
    fallback_search: Searcher | None,
) -> Evidence:
    """The evidence to write from, by the action that the grades call for (CRAG steps 3 to 5).

    Empty if all passages are bad and the fallback search finds nothing that helps. Passages that
    are not bad are used whole if none of their strips is kept.
    """

    async def internal() -> Evidence:  # step 3
        return await refined(question, graded.evidence, distil)

    async def external() -> Evidence:  # step 4; refined by the question as it was asked
        if fallback_search is None:
            return Evidence()
        query = await search_query(question, rewrite)
        return await refined(
            question, await search_more(fallback_search, query, "the fallback search"), distil
        )

    match graded.action:  # step 5
        case Action.CORRECT:
            return await internal() or graded.evidence
        case Action.INCORRECT:
            return await external()
        case Action.AMBIGUOUS:
            return union(*await together(internal(), external())) or graded.evidence


async def refined(question: Question, found: Evidence, distil: Distil | None) -> Evidence:
    """The strips that help to answer; without `distil`, passages whole."""
    return found if distil is None else await distil(question, found)


async def search_query(question: Question, rewrite: Rewrite | None) -> Question:
    """The question as one would type it into a search box; itself where nobody rewrites it."""
    if rewrite is None:
        return question
    return await or_default_if_over_budget(rewrite(question), question)


@dataclass(frozen=True, kw_only=True)
class Correct:
    """Grade what was found, keep what helps of it, and search elsewhere where it does not help.

    What is found to be bad is not written from: then the evidence is empty.
    """

    grade: Grade | None  # None: whatever was found will do
    distil: Distil | None  # None: passages whole
    rewrite: Rewrite | None  # None: the question itself is searched for
    fallback_search: Searcher | None  # None: there is nowhere else to look

    async def __call__(
        self, question: Question, found: Evidence, instead: Task[Evidence] | None = None
    ) -> Evidence:
        """`instead` is another search under way, waited for where all else is bad."""
        if self.grade is None:
            return found
        graded = await self.grade(question, found)
        evidence = await corrected_evidence(
            question,
            graded,
            distil=self.distil,
            rewrite=self.rewrite,
            fallback_search=self.fallback_search,
        )
        if evidence or instead is None or graded.action is not Action.INCORRECT:
            return evidence
        return await self._instead(self.grade, question, await instead)

    async def query(self, question: Question) -> Question:
        """The question as one would type it into a search box."""
        return await search_query(question, self.rewrite)

    async def _instead(self, grade: Grade, question: Question, instead: Evidence) -> Evidence:
        graded = await grade(question, instead)
        if graded.action is Action.INCORRECT:
            return Evidence()
        return await refined(question, graded.evidence, self.distil) or graded.evidence
