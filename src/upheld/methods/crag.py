"""Corrective RAG (Yan et al. 2024, arXiv:2401.15884): look elsewhere when search went wrong.

                        ┌─ correct ──── internal ────────────┐
    search ──▶ grade ──▶├─ ambiguous ── internal + external ─┼──▶ write
                        └─ incorrect ── external ────────────┘

    internal = distil what was found
    external = rewrite ──▶ fallback_search ──▶ distil

Departures:
- The thresholds of the action (`upper`, `lower`) are fitted for our grader. The paper's belong to
  the scale of its T5: `--preset paper` has those by which our grader calls as many dev questions
  correct and incorrect as the T5 did of PopQA, and `paper_pubhealth` of PubHealth. How often the
  third pair, for Biography, decided is not published.
- The threshold of strips is the paper's -0.5: on the scale of our grader, too, no other one tells
  strips that have the answer better by more than 0.001 (balanced accuracy).
- The same grader also orders what search found (`rerank`); the paper takes the retriever's order.
- The fallback search is any searcher: the web as in the paper, or another collection.
- Without it, or where it finds nothing that helps, `incorrect` abstains instead of answering from
  bad passages, and `ambiguous` goes on with what there is.
- Without strips, what the fallback search finds is taken as it is.
- Where no strip of passages that were not graded bad is kept, they are used whole.
- Both kinds of knowledge are looked for at once, and interleaved by rank: the writer reads the
  best of each, however few passages it takes.
"""

from __future__ import annotations

from dataclasses import dataclass

from upheld.generation.fallback import Write
from upheld.ports import Searcher
from upheld.retrieval.correct import corrected_evidence
from upheld.retrieval.distil import Distil
from upheld.retrieval.grade import Grade
from upheld.retrieval.rewrite import Rewrite
from upheld.run.trace import current_run
from upheld.types import Draft, Evidence, Question


@dataclass(frozen=True, kw_only=True)
class CRAG:
    """At most two LLM calls: rewrite and write."""

    search: Searcher
    grade: Grade
    distil: Distil | None  # None: passages whole, without strips
    rewrite: Rewrite | None  # None: the fallback search is for the question itself
    fallback_search: Searcher | None  # None: there is nowhere else to look
    write: Write

    async def __call__(self, question: Question) -> Draft:
        run = current_run()
        graded = await self.grade(question, await self.search(question))  # steps 1, 2
        knowledge = await corrected_evidence(  # steps 3 to 5: internal, external, or both
            question,
            graded,
            distil=self.distil,
            rewrite=self.rewrite,
            fallback_search=self.fallback_search,
        )
        if knowledge:
            draft = await self.write(question, knowledge)  # step 6
        else:
            draft = self._abstention(question, graded.evidence)
        run.offer(draft)
        return draft

    def _abstention(self, question: Question, found: Evidence) -> Draft:
        """No answer, and where it was looked for."""
        elsewhere = "does not help" if self.fallback_search is not None else "is not set up"
        none = f"none of {len(found)} passages found is about the question"
        note = f"{none}; fallback search {elsewhere}"
        return Draft(question, evidence=found, notes=(note,))
