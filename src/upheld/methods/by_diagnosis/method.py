"""Our own method: diagnose first, then the cheapest repair that fits; the four papers joined.

    facets ──▶ each: search ──▶ correct ──▶ write ──▶ check    all at once
                                                         │
    final checks ◀── apply_policy ◀── diagnose ◀── join ◀┘
    (relevance, conflicts)             │   ▲
                                       └ repair    all at once, in rounds, while it gets better

    finding                      repair                                          LLM calls
    wrong or missing mark        re-cite, in check                               0
    evidence is bad              correct: rewrite, fallback search (CRAG)        0 to 1
    unsupported                  search for the claim (CoV-RAG), then restate    0 to 1
    contradicted                 restate; where documents disagree, show both    0 to 1
    still unsupported            mark it, or drop it                             0
    facet unanswered             sub-question in other words (FaVe), append      1 to 2
    nothing supported            abstain, and say what was searched for          0
    low relevance                quote the sources, or withhold the answer       0
    another document disagrees   report it                                       0

The best draft wins: fewest contradicted claims, most facets, most supported, fewest LLM calls.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from upheld._internal.concurrency import meanwhile
from upheld.generation.fallback import Write
from upheld.generation.join import join
from upheld.generation.refine import Restate
from upheld.methods.by_diagnosis.answer_facet import AnswerFacet
from upheld.methods.by_diagnosis.diagnose import Fault, diagnose
from upheld.methods.by_diagnosis.final_checks import FinalChecks
from upheld.methods.by_diagnosis.offer import Offer
from upheld.methods.by_diagnosis.repair import Repair, repair_all
from upheld.methods.by_diagnosis.unsupported_policy import UnsupportedPolicy
from upheld.planning.facets import facets_of
from upheld.planning.plan import Plan
from upheld.ports import Searcher
from upheld.retrieval.correct import Correct
from upheld.retrieval.distil import Distil
from upheld.retrieval.grade import Grade
from upheld.retrieval.rewrite import Rewrite
from upheld.run.calls import gather_partial
from upheld.run.trace import current_run
from upheld.types import Draft, Question
from upheld.verification.verify_draft import Check

Drafts = Sequence[Draft]  # one a facet


@dataclass(frozen=True, kw_only=True)
class ByDiagnosis:
    """LLM calls: 1 for a simple question that holds; else plan, one a facet, and the repairs."""

    search: Searcher
    grade: Grade | None  # None: whatever was found is written from
    distil: Distil | None  # None: passages whole, without strips
    rewrite: Rewrite | None  # None: questions are searched for as they stand
    fallback_search: Searcher | None  # None: there is nowhere else to look
    plan: Plan | None  # one session, temperature 0; None: a question is one facet
    write: Write
    restate: Restate | None  # None: claims that do not hold stay as they are
    check: Check
    final_checks: FinalChecks
    max_facets: int = 4  # ours: as many answers as a reader takes in
    rounds: int = 2  # ours: for what was written, and for what the first round wrote
    unsupported: UnsupportedPolicy = UnsupportedPolicy.MARK

    async def __call__(self, question: Question) -> Draft:
        run = current_run()
        offer = Offer(question, run, self.unsupported)
        correct = Correct(
            grade=self.grade,
            distil=self.distil,
            rewrite=self.rewrite,
            fallback_search=self.fallback_search,
        )
        answer = AnswerFacet(
            search=self.search, correct=correct, write=self.write, check=self.check
        )
        drafts = await answer.recheck(await self._answers(question, answer, offer))
        best = offer(drafts)
        tried: set[Fault] = set()
        for _ in range(self.rounds):
            faults = [fault for fault in diagnose(drafts) if fault not in tried]
            if not faults or not run.meter.next_round():
                break
            tried.update(faults)
            repair = Repair(answer=answer, restate=self.restate)
            repaired = await repair_all(drafts, faults, repair, offer)
            if (score := offer(repaired)) <= best:
                break
            drafts = await answer.recheck(repaired)  # evidence of one repair may support others
            best = max(score, offer(drafts))
        return await self.final_checks(offer.last(drafts), len(drafts))

    async def _answers(self, question: Question, answer: AnswerFacet, offer: Offer) -> Drafts:
        """A checked draft for every facet; the search for the whole starts before the plan ends."""
        done: dict[Question, Draft] = {}

        def take(draft: Draft) -> None:
            done[draft.question] = draft
            some = [done[facet] for facet in facets if facet in done]
            offer(some, (-math.inf, len(some)))  # less than any whole answer
            first = [done[facet] for facet in takewhile(done.__contains__, facets)]
            current_run().announce(join(question, first))

        async with meanwhile(self.search(question)) as found:
            facets = await facets_of(question, self.plan, self.max_facets)
            await gather_partial((answer(facet, question, found) for facet in facets), take)
        return [done[facet] for facet in facets]
