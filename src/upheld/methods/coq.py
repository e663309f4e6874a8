"""CoQ, chain-of-query, as the FaVe paper builds it (Kim et al. 2025, 2025.findings-acl.993).

    candidates = search(q)                          while the first sub-question is thought of
    repeat, N times or until the model is done:
        asked = next_question(q, chain)             prompt A; C1: it sees earlier answers
        found = order(asked, candidates)            the best M
        step  = select(asked)                       only in CoQ + selector: r = (r_q + r_d) / 2
        chain = chain + write(step, found, chain)   prompt B; C2: it sees earlier answers
    join

    C1, C2      `queries_see_answers`, `answers_see_answers`; without both, a UoQ in steps
    + selector  `next_question` with several samples, `select=selector(llm)`: r_q is P("Yes"),
                `By.R_Q` is the paper's self-verification. Its footnote 13 goes without C2.

Departures:
- Passages come as in FaVe, from candidates for q, so that the two differ in their chains alone.
- The writer sees earlier sub-questions and answers, not q itself: it is to answer the step.
- A chain also ends at a sub-question that was asked before. N is 5, as in FaVe; the paper's varies.
- What an answer repeats of those before it, in the same words, is left out.
"""

from __future__ import annotations

from dataclasses import dataclass

from upheld._internal.concurrency import together
from upheld.generation.join import join
from upheld.generation.writers import WriteAfter
from upheld.planning.next_question import NextQuestion
from upheld.planning.plan import Session, unplanned
from upheld.planning.select import By, Select
from upheld.ports import LLM, Searcher
from upheld.retrieval.rerank import Order
from upheld.run.calls import or_default_if_over_budget
from upheld.run.trace import current_run
from upheld.types import Draft, Evidence, Question


def selector(llm: LLM, by: By = By.BOTH) -> Select:
    """The unified selector for one sub-question at a time (section 4.4)."""
    return Select(llm=llm, by=by, delta=1, probable=True)


@dataclass(frozen=True, kw_only=True)
class CoQ:
    """Two LLM calls a step, one after the other: 2N completions, one more where it ends early."""

    search: Searcher  # for candidates: its `limit` is 20; the paper's 100, by BM25
    next_question: NextQuestion | None  # None: there is no language model
    order: Order  # its `limit` is M: 2 in the paper
    write: WriteAfter
    select: Select = Select(llm=None, by=By.OFF)
    max_questions: int = 5  # N
    queries_see_answers: bool = True  # C1
    answers_see_answers: bool = True  # C2

    async def __call__(self, question: Question) -> Draft:
        run = current_run()
        chain: tuple[Draft, ...] = ()
        candidates, asked = await together(self.search(question), self._ask(question, chain))
        if not candidates:
            return await self.write(question, candidates)
        while asked:
            step, found = await self._choose(question, asked, candidates)
            earlier = chain if self.answers_see_answers else ()  # C2
            chain += (await self.write(step, found, earlier),)  # prompt B
            run.offer(join(question, chain), (len(chain),))
            if len(chain) >= self.max_questions or not run.meter.next_round():
                break
            asked = await self._ask(question, chain)  # prompt A
        return join(question, chain)

    async def _ask(self, question: Question, chain: tuple[Draft, ...]) -> Session:
        """Sub-questions to choose the next step from; none where the chain ends."""
        if self.next_question is None:
            return () if chain else unplanned(question, "no language model")[0]
        asked = self.next_question(question, chain, answers=self.queries_see_answers)  # C1
        return await asked if chain else await or_default_if_over_budget(asked, (question,))

    async def _choose(
        self, question: Question, asked: Session, candidates: Evidence
    ) -> tuple[Question, Evidence]:
        """The best sub-question with its passages; a single one is the best."""
        alone = tuple((each,) for each in asked)
        found, relevance = await together(
            self.order.each(asked, candidates), self.select.relevance(question, alone)
        )
        (step,) = self.select(alone, relevance, found)
        return step, found[step.id]
