"""FaVe: factored and verified search (Kim et al. 2025, Findings of ACL, 2025.findings-acl.993).

    Algorithm 1
    1   sessions = plan(q)                  S lists of sub-questions, each seeing those before it
        candidates = search(q)              meanwhile
    2   found = order(each, candidates)     the best M for every sub-question, all at once
    3   session = select(r)                 r = (r_q + r_d) / 2, eq. 2-4; r_q is asked during line 2
    4   answers = write(each, found)        each from its own passages only, all at once
        join

    union-of-query (UoQ) is lines 1, 2 and 4 with one session, `Plan(sessions=1)`: 1 + N completions

Departures that `--preset paper` takes back:
- 20 `candidates` of a hybrid `search`, where the paper takes 100 of BM25: ordering them for up to
  S x N sub-questions is the costly part.

Departures that stay:
- Prompted: without the trained generator it is the paper's "FaVe w/o V_Generator".
- Our grader orders passages and gives r_d, not monoT5. What sessions ask alike is ordered once.
- One relevance call for a session, not for a sub-question: 21 completions at N = 5 and S = 8, not
  53. A session has at most 5 sub-questions: beyond delta, r_q gains nothing.
- The writer sees its sub-question, not q; figure 8 shows it both.
- A sub-answer is a list of at most four cited sentences. What it repeats of those before it, in the
  same words, is left out.
- Test-time answer feedback (appendix F, `best_of`) chooses among the samples of each sub-answer,
  where the paper chooses among whole answers. Citation recall is by the marks that the model set,
  but by our verifier, and only sentences that state something count.
- The marks of the answer that is returned are fixed, as after every method.
- The short answer that the paper may add is a last stage of every method: `--set short=on`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from upheld._internal.concurrency import all_of, together
from upheld.generation.fallback import Write
from upheld.generation.join import join
from upheld.planning.plan import Plan, Session, unplanned
from upheld.planning.select import Select
from upheld.ports import Searcher
from upheld.retrieval.rerank import Order
from upheld.run.calls import or_default_if_over_budget
from upheld.run.trace import current_run
from upheld.types import Draft, Evidence, Question


@dataclass(frozen=True, kw_only=True)
class FaVe:
    """LLM calls in a row: plan, select, write; S + S + N completions."""

    search: Searcher  # for candidates: its `limit` is 20; the paper's 100, by BM25
    plan: Plan | None  # `sessions` is S; None: there is no language model
    order: Order  # its `limit` is M: 2 in the paper
    select: Select  # `by` off, r_q, r_d or both; the paper takes r_d alone with strong models
    write: Write

    async def __call__(self, question: Question) -> Draft:
        sessions, candidates = await together(self._plan(question), self.search(question))  # 1
        if not candidates:
            return await self.write(question, candidates)
        every = (each for session in sessions for each in session)
        found, relevance = await together(
            self.order.each(every, candidates),  # 2
            self.select.relevance(question, sessions),
        )
        session = self.select(sessions, relevance, found)  # 3
        return await self._answer(question, session, found)  # 4

    async def _plan(self, question: Question) -> tuple[Session, ...]:
        if self.plan is None:
            return unplanned(question, "no language model")
        return await or_default_if_over_budget(self.plan(question), ((question,),))

    async def _answer(
        self, question: Question, session: Session, found: Mapping[str, Evidence]
    ) -> Draft:
        """Factored answers, put together in the order of the session; the more of them, the better.

        Each is offered with those before it in time: a budget that ends takes only the rest.
        """
        run = current_run()
        answers: dict[str, Draft] = {}

        def joined() -> Draft:
            return join(question, (answers[each.id] for each in session if each.id in answers))

        async def answer(each: Question) -> None:
            answers[each.id] = await self.write(each, found[each.id])
            run.offer(joined(), (len(answers),))

        await all_of(answer(each) for each in session)
        return joined()
