"""Verify: each claim against the words it cites, cheapest check first, closed when a check fails.

1. exact quote: the claim is whole sentences of a source;
2. entailment by each cited passage alone, and by all of them together;
3. entailment by the other passages at hand, so that a wrong mark can be mended.

A claim is `supported` only by a quote, or by a premise that the model was given whole, judged
with sound scores in time, and that has the claim's figures and names.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from operator import or_

from upheld.ports import Entailment, Judgement, Pair
from upheld.stages.checks.checkworthy import not_checkworthy
from upheld.stages.checks.claims import spoken
from upheld.stages.checks.conclude import Conclude
from upheld.stages.checks.figures import values
from upheld.stages.checks.guard import Guard, Objection
from upheld.stages.checks.judge import in_time, judge
from upheld.stages.checks.premises import Premises
from upheld.stages.checks.quote_check import find_quote
from upheld.stages.checks.source import Premise, Source, Trouble
from upheld.stages.checks.task import Finding, Task
from upheld.stages.checks.wording import Word
from upheld.trace import Span, current_run, span
from upheld.types import Cause, Claim, Passage, Question, Support, Verdict, unique_passages

Findings = Mapping[int, tuple[Finding, ...]]  # by the place of the claim


@dataclass(frozen=True, kw_only=True)
class Verify:
    """Claims in, the same claims with verdicts out; without a model, only exact quotes count."""

    model: Entailment | None
    no_model: str = "no verifier model is installed"  # what is said where there is none
    guard: Guard = Guard()
    supported_above: float = 0.5  # placeholders until they are fitted with the weights
    contradicted_above: float = 0.5
    window_tokens: int = 160  # as in training: 120 words are about 160 word pieces
    least_premise: int = 32  # tokens; a claim that leaves less is too long to check
    max_windows: int = 64  # read of one source; where it has more, the closest
    join_at_most: int = 3  # sources that are tried together where none is cited
    most_foreign: float = 0.3  # share of letters in scripts that the model was not trained on
    carry_question: bool = False  # to be measured both ways
    carry_previous: bool = False
    patience: float = 60.0  # seconds for one call of the model, where the budget gives more

    async def __call__(
        self, claims: Sequence[Claim], passages: Sequence[Passage], question: Question | None = None
    ) -> tuple[Claim, ...]:
        with span("verify") as step:
            # Splitting and comparing a long source takes seconds: not on the event loop.
            tasks = await asyncio.to_thread(self._quote, claims, passages)
            conclude = Conclude(
                model=None if self.model is None else self.model.identity,
                supported_above=self.supported_above,
                contradicted_above=self.contradicted_above,
            )
            if self.model is None:
                lost = Trouble(Cause.NO_MODEL, self.no_model)
                return await asyncio.to_thread(_concluded, conclude, tasks, {}, lost)
            return await self._entail(self.model, tasks, question, conclude, step)

    def _quote(self, claims: Sequence[Claim], passages: Sequence[Passage]) -> list[Task]:
        sources = [Source(passage) for passage in unique_passages(passages)]
        return [self._task(place, claim, sources) for place, claim in enumerate(claims)]

    def _task(self, place: int, claim: Claim, sources: Sequence[Source]) -> Task:
        """What can be told without a model: not check-worthy, no source, an exact quote."""
        said = spoken(claim.text)
        cites = {citation.passage_id for citation in claim.citations}
        cited = tuple(source for source in sources if source.passage.id in cites)
        others = tuple(source for source in sources if source.passage.id not in cites)
        task = Task(place, claim, said, cited, others)
        if claim.verdict.support is Support.NOT_CHECKWORTHY:
            return replace(task, settled=claim.verdict)
        if (cause := not_checkworthy(claim.text)) is not None:
            reason = f"not a statement to check: {cause.value.replace('_', ' ')}"
            verdict = Verdict(Support.NOT_CHECKWORTHY, reason=reason, cause=cause)
            return replace(task, settled=verdict)
        if not sources:
            reason = "there is no source to check it against"
            lost = Verdict(Support.NOT_CHECKED, reason=reason, cause=Cause.NO_SOURCE)
            return replace(task, settled=lost)
        quotes = tuple(
            (source, where)
            for source in (*cited, *others)
            if (where := find_quote(said, source.quotable)) is not None
        )
        unread = {s.passage.id: s.trouble for s in sources if s.trouble is not None}
        return replace(task, quotes=quotes, unread=unread)

    async def _entail(
        self,
        model: Entailment,
        quoted: Sequence[Task],
        question: Question | None,
        conclude: Conclude,
        step: Span,
    ) -> tuple[Claim, ...]:
        """The two rungs of the model: what is cited, then what else is at hand."""
        premises = Premises(
            room=model.room,
            count=lru_cache(maxsize=65_536)(model.count_tokens),
            window_tokens=self.window_tokens,
            least=self.least_premise,
            max_windows=self.max_windows,
            join_at_most=self.join_at_most,
        )
        word = Word(model=model, premises=premises, most_foreign=self.most_foreign)
        worded = await in_time(
            lambda: [word(task, self._context(task, quoted, question)) for task in quoted],
            self.patience,
        )
        if isinstance(worded, Trouble):
            return await asyncio.to_thread(_concluded, conclude, quoted, {}, worded)
        cited, trouble = await self._ask(model, worded, premises.cited, step)
        left = [
            task
            for task in worded
            if not task.quotes and not any(map(conclude.supports, cited.get(task.place, ())))
        ]
        others: Findings = {}
        if trouble is None:
            others, trouble = await self._ask(model, left, premises.others, step)
        if trouble is not None:
            current_run().degrade(f"claims were not checked: {trouble.reason}")
        findings = {i: (*cited.get(i, ()), *others.get(i, ())) for i in range(len(worded))}
        return await asyncio.to_thread(_concluded, conclude, worded, findings, trouble)

    def _context(
        self, task: Task, tasks: Sequence[Task], question: Question | None
    ) -> tuple[str, ...]:
        asked = (question.text,) if question is not None and self.carry_question else ()
        before = (tasks[task.place - 1].said,) if self.carry_previous and task.place else ()
        return asked + before

    async def _ask(
        self,
        model: Entailment,
        tasks: Sequence[Task],
        premises_of: Callable[[Task], Iterator[Premise]],
        step: Span,
    ) -> tuple[Findings, Trouble | None]:
        """One call of the model for all premises of all claims of a rung."""
        asked = await in_time(
            lambda: [(each, tuple(premises_of(each))) for each in tasks if each.model_can_read],
            self.patience,
        )
        if isinstance(asked, Trouble):
            return {}, asked
        pairs = [Pair(premise.text, task.hypothesis) for task, some in asked for premise in some]
        judged = await judge(model, pairs, step, self.patience)
        if isinstance(judged, Trouble):
            return {}, judged
        return await asyncio.to_thread(self._findings, asked, judged), None

    def _findings(
        self, asked: Sequence[tuple[Task, tuple[Premise, ...]]], judged: Mapping[Pair, Judgement]
    ) -> Findings:
        return {
            task.place: tuple(
                Finding(
                    premise,
                    judged[Pair(premise.text, task.hypothesis)],
                    self._object(task.said, premise),
                )
                for premise in some
            )
            for task, some in asked
        }

    def _object(self, claim: str, premise: Premise) -> Objection | None:
        known = reduce(or_, (part.source.names for part in premise.parts))
        return self.guard(claim, values(premise.text), known)


def _concluded(
    conclude: Conclude, tasks: Sequence[Task], findings: Findings, trouble: Trouble | None
) -> tuple[Claim, ...]:
    return tuple(conclude(task, findings.get(task.place, ()), trouble) for task in tasks)
