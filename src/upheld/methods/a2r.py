"""A2R (Lee and Lee, "Ask, Assess, and Refine"): explicit metrics, and feedback from them.

    Algorithm 1
    1   y = write(x, e)                     eq. 1, in detail, e = search(x)
    2   for t < K:
    3       S = assess(check(y))            eq. 2, by the marks that the model set
    4       F = phrase(feedback(y, S))      eq. 3
    5       y = refine(x, e, y, F)          eq. 4
    6       stop if S reaches the thresholds
        return final(x, e, y_0, F_0 ...)    eq. 5

Departures that `--preset paper` takes back:
- A draft of which only the marks fail is not refined; they are fixed (`fix_citations`).
- A draft that passes is not refined (`test_before`), and there is no final call (`final`).
- Feedback is the findings as computed, not phrased by the model (`feedback`).
- Parts of the question that no passage speaks of are searched for, once (`hand_over`).
- The best draft by its metrics is kept, not the last (`keep`).

Departures that stay:
- Metrics without gold (footnote 4), by our verifier: support and question coverage instead of
  correctness. Only sentences that state something count; ALCE counts all.
- Thresholds are ours: means of assessments (footnote 5) need a set of drafts, not one question.
- The model words the feedback and does not decide it; before the final call it is not worded.
- A draft that was there before is not refined again: it would get the same feedback.
- An answer is a list of at most ten cited sentences. Calls are greedy (the paper: 0.7).
- The marks of the answer that is returned are fixed, as after every method.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from upheld.answer.verdicts import with_fixed_citations
from upheld.assessment.assess import Aspect, Assessment, Thresholds, assess, below
from upheld.assessment.feedback import Phrase, as_text, feedback
from upheld.generation.fallback import Write
from upheld.generation.refine import Refine, Round
from upheld.methods.keep import Keep
from upheld.ports import Searcher
from upheld.retrieval.search import search_more
from upheld.run.trace import Run, current_run, span
from upheld.types import Draft, Evidence, Question, union
from upheld.verification.verify_draft import Check


@dataclass(frozen=True, kw_only=True)
class A2R:
    """LLM calls: 1 + K with computed feedback; 2 + 2K as in the paper, phrased and with `final`."""

    search: Searcher  # its `limit` is 5 in the paper
    write: Write
    refine: Refine | None  # None: there is no language model, the first draft stands
    check: Check  # verdicts alone: it leaves the marks as they are
    phrase: Phrase | None = None  # the paper's feedback is written by the model
    rounds: int = 2  # K; of 1 and 2, the paper's citations are best with 2
    thresholds: Thresholds = Thresholds()  # the paper's: means of assessments (footnote 5)
    intrinsic: bool = False  # the paper's baseline: the model judges itself, nothing is measured
    test_before: bool = True  # the paper's: False
    final: bool = False  # the paper's: True
    fix_citations: bool = True  # the paper's: False
    hand_over: bool = True  # the paper's: False
    keep: Keep = Keep.BEST  # the paper's: LAST

    async def __call__(self, question: Question) -> Draft:
        run = current_run()
        draft = await self.write(question, await self.search(question))  # 1
        run.offer(draft)
        if self.refine is None:
            run.degrade("no language model: the draft was not refined")
            return draft
        draft, found = await self._assess(draft, run)  # 3
        if self.hand_over and found.unfound and Aspect.COVERAGE in below(found, self.thresholds):
            draft, found = await self._assess(await self._with_more(draft, found.unfound), run)
        history: list[Round] = []
        for _ in range(self.rounds):  # 2
            passed = self._passes(found)
            if (passed and self.test_before) or not run.meter.next_round():
                break
            told = await self._feedback(draft, found, self.phrase)  # 4
            history.append(Round(draft, told))
            draft, found = await self._assess(await self.refine(draft, told), run)  # 5, next 3
            if passed or draft in [before.draft for before in history]:  # 6, by S_t of line 3
                break
        if self.final and not (self.test_before and self._passes(found)):
            history.append(Round(draft, await self._feedback(draft, found)))
            draft, _ = await self._assess(await self.refine.final(history), run)
        return draft if self.keep is Keep.LAST else run.best or draft

    async def _assess(self, draft: Draft, run: Run) -> tuple[Draft, Assessment]:
        """Eq. 2: the draft with its verdicts, and S_t; with its marks fixed if it passes so."""
        if self.intrinsic:
            run.offer(draft)  # all drafts are equal, so that the last one is kept
            return draft, Assessment(0, 0, 0, 0)
        checked = await self.check(draft)
        found = assess(checked)
        with span("assess", note=str(found)):
            fixed = with_fixed_citations(checked) if self.fix_citations else checked
            after = assess(fixed)
            run.offer(fixed, after.score)
        return (fixed, after) if self._passes(after) else (checked, found)

    def _passes(self, found: Assessment) -> bool:
        return not below(found, self.thresholds)

    async def _feedback(
        self, draft: Draft, found: Assessment, phrase: Phrase | None = None
    ) -> str | None:
        """Eq. 3: F_t; none for a model that judges itself."""
        if self.intrinsic:
            return None
        remarks = feedback(draft, found, self.thresholds)
        return as_text(remarks if phrase is None else await phrase(draft, remarks))

    async def _with_more(self, draft: Draft, parts: Sequence[str]) -> Draft:
        """More passages behind those at hand, whose numbers stay: the prompt's prefix does too."""
        query = Question(" ".join(parts), parent=draft.question.id)
        more = await search_more(self.search, query, "the search for what is missing")
        return replace(draft, evidence=union(Evidence((*draft.evidence, *more))))
