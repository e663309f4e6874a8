"""Correct: evidence that is worth writing from, or none (CRAG's actions, for one sub-question)."""

from __future__ import annotations

from asyncio import Task
from dataclasses import dataclass

from upheld._internal.concurrency import together
from upheld.ports import Searcher
from upheld.retrieval.distil import Distil
from upheld.retrieval.grade import Action, Grade
from upheld.retrieval.rewrite import Rewrite
from upheld.retrieval.search import search_more
from upheld.run.best_effort import or_default_if_over_budget
from upheld.types import Evidence, Question, union


@dataclass(frozen=True, kw_only=True)
class Correct:
    """Grade what was found, keep what helps of it, and look wider where it does not help.

    What is found to be bad is not written from: then the evidence is empty.
    """

    grade: Grade | None  # None: whatever was found will do
    distil: Distil | None  # None: passages whole
    rewrite: Rewrite | None  # None: the question itself is searched for
    wider: Searcher | None  # None: there is nowhere else to look

    async def __call__(
        self, question: Question, found: Evidence, instead: Task[Evidence] | None = None
    ) -> Evidence:
        """`instead` is another search under way, waited for where all else is bad."""
        if self.grade is None:
            return found
        graded = await self.grade(question, found)
        match graded.action:
            case Action.CORRECT:
                return await self._internal(question, graded.evidence) or graded.evidence
            case Action.AMBIGUOUS:
                both = together(self._internal(question, graded.evidence), self._external(question))
                return union(*await both) or graded.evidence
            case Action.INCORRECT:
                external = await self._external(question)
                if external or instead is None:
                    return external
                return await self._instead(self.grade, question, await instead)

    async def query(self, question: Question) -> Question:
        """The question as one would type it into a search box."""
        if self.rewrite is None:
            return question
        return await or_default_if_over_budget(self.rewrite(question), question)

    async def _internal(self, question: Question, found: Evidence) -> Evidence:
        return found if self.distil is None else await self.distil(question, found)

    async def _external(self, question: Question) -> Evidence:
        if self.wider is None:
            return Evidence()
        found = await search_more(self.wider, await self.query(question), "the wider search")
        return await self._internal(question, found)

    async def _instead(self, grade: Grade, question: Question, instead: Evidence) -> Evidence:
        graded = await grade(question, instead)
        if graded.action is Action.INCORRECT:
            return Evidence()
        return await self._internal(question, graded.evidence) or graded.evidence
