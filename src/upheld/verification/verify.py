"""Verify each claim against its sources, cheapest check first; a failed check never supports.

1. exact quote: the claim is whole sentences of a source;
2. entailment by each cited passage alone, and by all of them together;
3. entailment by the other passages, so that a wrong citation can be fixed.

A claim is `supported` only by an exact quote, or by premises that the model read whole and scored
in time with valid probabilities, and that do not deny it. Absent figures and names, other units,
bounds and orders count against it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import lru_cache

from upheld._internal.concurrency import all_of
from upheld.ports import Embedder, Entailment
from upheld.run.trace import Span, current_run, span
from upheld.text.marks import indexed_in
from upheld.text.short_answers import sentence_alone
from upheld.types import Cause, Claim, Passage, Question, Support, Verdict, unique_passages
from upheld.verification.check_claim import Entail, Entailed, Hypothesis
from upheld.verification.checkworthy import not_checkworthy
from upheld.verification.claims import spoken
from upheld.verification.decide import Decide
from upheld.verification.entailment import Deadline
from upheld.verification.exact_quote import find_quote
from upheld.verification.premises import Premises, Task
from upheld.verification.prepare import PrepareWindows, texts_ready
from upheld.verification.rules import ConsistencyRules
from upheld.verification.source import CheckFailure, Count, Source

Progress = Callable[[int, int], None]  # (claims decided so far, claims in total)
Found = Callable[[Entailed], Awaitable[None]]  # called with each claim when its search ends

_MOST_COUNTED = 20_000  # characters; longer texts are not tokenised
_WINDOW_CHARACTERS = 700  # about 160 word pieces


@dataclass(frozen=True, kw_only=True)
class Verify:
    """Gives each claim a verdict; without a model, only an exact quote is supported."""

    model: Entailment | None
    no_model: str = "no verifier model is installed"  # the reason of verdicts if there is no model
    rules: ConsistencyRules = ConsistencyRules()
    decide: Decide = Decide()  # fitted with the model's weights
    window_tokens: int = 160  # as in training: 120 words are about 160 word pieces
    least_premise: int = 32  # tokens; a claim that leaves less is too long to check
    max_windows: int = 4_096  # searched in one source: half a million characters, and more
    most_pairs: int = 6  # per claim and source; a longer source is searched for the best ones
    embedder: Embedder | None = None  # without one, windows are searched by words alone
    vector_weight: float = 0.5  # of vectors in that search, beside words
    most_embedded: int = 256  # windows of all sources together; of more, by words alone
    join_at_most: int = 3  # sources that are joined if none is cited
    most_foreign: float = 0.3  # share of letters in scripts that the model was not trained on
    carry_question: bool = False  # measured by `python -m upheld_lab.fits verify-choices`
    carry_previous: bool = False
    grace: float = 0.3  # seconds after the deadline, shared by the steps that need no model
    pairs_at_once: int = 32  # claims are started until so many wait: all claims of a short answer
    small: int = 5_000  # characters that are processed in place: a thread would take longer

    async def __call__(
        self,
        claims: Sequence[Claim],
        passages: Sequence[Passage],
        question: Question | None = None,
        *,
        progress: Progress | None = None,
    ) -> tuple[Claim, ...]:
        """Return the claims with verdicts, in order; verdicts made before a timeout are kept."""
        deadline = self.deadline(claims, passages)
        model = None if self.model is None else self.model.identity
        decided: dict[int, Claim] = {}

        async def decide(found: Entailed) -> None:
            task = found.task
            claim: Claim | CheckFailure
            if task.settled is not None:  # no scores to decide on
                claim = replace(task.claim, verdict=task.settled)
            else:
                claim = await deadline(
                    lambda: self.decide(task, found.findings, found.failure, model), late=True
                )
            if isinstance(claim, CheckFailure):
                claim = replace(task.claim, verdict=_not_checked(claim))
            decided[task.place] = claim
            if progress is not None:
                progress(len(decided), len(claims))

        await self._examine(claims, passages, question, deadline, decide)
        checked = tuple(decided[place] for place in range(len(claims)))
        for claim in checked:
            if claim.verdict.support is Support.NOT_CHECKED:
                current_run().degrade(f"claims were not checked: {claim.verdict.reason}")
        return checked

    async def read(
        self, claims: Sequence[Claim], passages: Sequence[Passage], question: Question | None = None
    ) -> tuple[Entailed, ...]:
        """Return the findings about each claim, without a decision."""
        every: dict[int, Entailed] = {}

        async def keep(found: Entailed) -> None:
            every[found.task.place] = found

        await self._examine(claims, passages, question, self.deadline(claims, passages), keep)
        return tuple(every[place] for place in range(len(claims)))

    def deadline(self, claims: Sequence[Claim], passages: Sequence[Passage]) -> Deadline:
        """Return a deadline that uses threads only if these texts are large."""
        texts = [*(claim.text for claim in claims), *(passage.text for passage in passages)]
        return Deadline(grace=self.grace, small=sum(map(len, texts)) <= self.small)

    def prepare(self, passages: Sequence[Passage]) -> None:
        """Prepare passages for their check; useful while the language model is writing."""
        for source in _sources(passages):
            source.make_ready(for_model=self.model is not None)

    async def _examine(
        self,
        claims: Sequence[Claim],
        passages: Sequence[Passage],
        question: Question | None,
        deadline: Deadline,
        found: Found,
    ) -> None:
        """Check several claims at once, in order; an early one never waits for a later one."""
        with span("verify") as step:
            sources = _sources(passages)
            entail = None if self.model is None else self._entail(self.model, deadline, step)
            with nullcontext() if deadline.small else span("prepare"):
                unread = await texts_ready(sources, deadline, for_model=entail is not None)
                failure = None
                if unread is None and entail is not None:
                    failure = await self._prepare(entail.premises, deadline)(sources)
            same: dict[tuple[str, frozenset[str]], asyncio.Lock] = {}

            async def examine(place: int) -> None:
                claim = claims[place]
                cites = frozenset(each.passage_id for each in claim.citations)
                # Identical claims are checked one after the other: the second uses cached scores.
                async with same.setdefault((claim.text, cites), asyncio.Lock()):
                    # Exact quotes are looked for even after the deadline: an extractive draft,
                    # which is the fallback on timeout, consists of them.
                    task: Task | CheckFailure | None = unread
                    if task is None:
                        task = await deadline(lambda: self._task(place, claim, sources), late=True)
                    if isinstance(task, CheckFailure):
                        await found(Entailed(_given_up(place, claim, task)))
                    elif entail is None or failure is not None:
                        lost = failure or CheckFailure(Cause.NO_MODEL, self.no_model)
                        await found(Entailed(task, (), lost))
                    else:
                        context = self._context(place, claims, question)
                        await found(await entail(task, context))

            in_order = iter(range(len(claims)))

            async def take_turns() -> None:
                for place in in_order:
                    await asyncio.sleep(0)  # let others run: thousands may fail in a row
                    await examine(place)

            await all_of(take_turns() for _ in range(self._claims_at_once(passages)))

    def _prepare(self, premises: Premises, deadline: Deadline) -> PrepareWindows:
        return PrepareWindows(
            premises=premises,
            embedder=self.embedder,
            most_embedded=self.most_embedded,
            deadline=deadline,
        )

    def _claims_at_once(self, passages: Sequence[Passage]) -> int:
        """Return how many claims to check at once: enough to keep the model busy.

        No more than that, because claims that are half checked at the deadline are lost.
        """
        pairs = sum(1 + len(each.text) // _WINDOW_CHARACTERS for each in passages)
        return max(2, -(-self.pairs_at_once // max(pairs, 1)))

    def _task(self, place: int, claim: Claim, sources: Sequence[Source]) -> Task:
        """Decide what needs no model: not checkworthy, no source, or an exact quote."""
        indexed = indexed_in(claim.text, [source.indexed for source in sources])
        said = sentence_alone(spoken(claim.text, indexed))
        cites = {citation.passage_id for citation in claim.citations}
        cited = tuple(source for source in sources if source.passage.id in cites)
        others = tuple(source for source in sources if source.passage.id not in cites)
        if claim.verdict.support is Support.NOT_CHECKWORTHY:
            return Task(place, claim, said, cited, others, settled=claim.verdict)
        if (cause := not_checkworthy(claim.text)) is not None:
            reason = f"not a statement to check: {cause.value.replace('_', ' ')}"
            verdict = Verdict(Support.NOT_CHECKWORTHY, reason=reason, cause=cause)
            return Task(place, claim, said, cited, others, settled=verdict)
        if not sources:
            reason = "there is no source to check it against"
            lost = Verdict(Support.NOT_CHECKED, reason=reason, cause=Cause.NO_SOURCE)
            return Task(place, claim, said, settled=lost)
        if claim.verdict.cause is Cause.UNKNOWN_SOURCE:
            return Task(place, claim, said, cited, others, settled=claim.verdict)
        quotes = tuple(
            (source, where)
            for source in (*cited, *others)
            if (where := find_quote(said, source.quotable)) is not None
        )
        unread = {s.passage.id: s.failure for s in sources if s.failure is not None}
        return Task(place, claim, said, cited, others, quotes=quotes, unread=unread)

    def _entail(self, model: Entailment, deadline: Deadline, step: Span) -> Entail:
        premises = Premises(
            room=model.room,
            count=_counted_once(model, deadline),
            window_tokens=self.window_tokens,
            least=self.least_premise,
            max_windows=self.max_windows,
            join_at_most=self.join_at_most,
            most_pairs=self.most_pairs,
            vector_weight=self.vector_weight,
        )
        return Entail(
            model=model,
            premises=premises,
            word=Hypothesis(model=model, premises=premises, most_foreign=self.most_foreign),
            rules=self.rules,
            decide=self.decide,
            deadline=deadline,
            step=step,
            embedder=self.embedder,
        )

    def _context(
        self, place: int, claims: Sequence[Claim], question: Question | None
    ) -> tuple[str, ...]:
        asked = (question.text,) if question is not None and self.carry_question else ()
        before = (spoken(claims[place - 1].text),) if self.carry_previous and place else ()
        return asked + before


def _sources(passages: Sequence[Passage]) -> list[Source]:
    """Return the sources of the passages; a run prepares each passage once for all its drafts."""
    known: dict[Passage, Source] = current_run().known.setdefault("sources", {})
    return [
        known.get(each) or known.setdefault(each, Source(each))
        for each in unique_passages(passages)
    ]


def _counted_once(model: Entailment, deadline: Deadline) -> Count:
    """Return the model's token counter, cached for the run: the same text is cut repeatedly."""
    known = lru_cache(maxsize=65_536)(model.count_tokens)
    counted: Count = current_run().known.setdefault(("count", id(model)), known)

    def count(text: str) -> int:
        deadline.go_on()
        # Such a text exceeds any model's input, and tokenising it would block other threads.
        return counted(text) if len(text) <= _MOST_COUNTED else len(text)

    return count


def _given_up(place: int, claim: Claim, failure: CheckFailure) -> Task:
    """Return a task that failed before even exact quotes were looked for."""
    return Task(place, claim, "", settled=_not_checked(failure))


def _not_checked(failure: CheckFailure) -> Verdict:
    return Verdict(Support.NOT_CHECKED, reason=failure.reason, cause=failure.cause)
