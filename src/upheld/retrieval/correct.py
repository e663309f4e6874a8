"""Correct: keep the evidence that is good enough to write from, or search elsewhere (CRAG).

`corrected_evidence` is the paper's correction, for graded evidence; `Correct` is a stage of our
own method, which grades first and may use the result of another search.
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
    """Return the evidence to write from, by the action that the grades call for (steps 3 to 5).

    Empty if the action is INCORRECT and the fallback search finds nothing that helps. For the
    other actions the whole passages are used if none of their strips is good enough.
    """

    async def internal() -> Evidence:  # step 3
        return await refined(question, graded.evidence, distil)

    async def external() -> Evidence:  # step 4; strips are graded by the original question
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
    """Return the strips that help to answer; without `distil`, the whole passages."""
    return found if distil is None else await distil(question, found)


async def search_query(question: Question, rewrite: Rewrite | None) -> Question:
    """Rewrite the question as a keyword query; return it unchanged without a rewriter or budget."""
    if rewrite is None:
        return question
    return await or_default_if_over_budget(rewrite(question), question)


@dataclass(frozen=True, kw_only=True)
class Correct:
    """Grade passages, keep those that help, and run the fallback search if they do not.

    Returns empty evidence if nothing good is found: bad passages are not written from.
    """

    grade: Grade | None  # None: use all passages without grading
    distil: Distil | None  # None: use whole passages
    rewrite: Rewrite | None  # None: search for the question itself
    fallback_search: Searcher | None  # None: no fallback search

    async def __call__(
        self, question: Question, found: Evidence, instead: Task[Evidence] | None = None
    ) -> Evidence:
        """Return corrected evidence.

        `instead` is another search in progress; its result is awaited and graded only if all
        other passages are bad.
        """
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
        """Rewrite the question as a keyword query."""
        return await search_query(question, self.rewrite)

    async def _instead(self, grade: Grade, question: Question, instead: Evidence) -> Evidence:
        graded = await grade(question, instead)
        if graded.action is Action.INCORRECT:
            return Evidence()
        return await refined(question, graded.evidence, self.distil) or graded.evidence
