"""Verify: each claim against the words it cites, cheapest check first, closed when a check fails.

1. exact quote: the claim is whole sentences of a source;
2. entailment by each cited passage alone, and by all of them together;
3. entailment by the other passages at hand, so that a wrong mark can be mended.

A claim is `supported` only by a quote, or by a premise that the model was given whole, judged
with sound scores in time, that has the claim's figures and names, and that does not deny it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from upheld.ports import Entailment, Judgement, Pair
from upheld.stages.checks.checkworthy import not_checkworthy
from upheld.stages.checks.claims import spoken
from upheld.stages.checks.conclude import Conclude
from upheld.stages.checks.guard import Guard
from upheld.stages.checks.judge import Pace, judge
from upheld.stages.checks.notation import in_notation_of
from upheld.stages.checks.premises import Premises
from upheld.stages.checks.quote_check import find_quote
from upheld.stages.checks.source import Count, Premise, Source, Trouble
from upheld.stages.checks.task import Finding, Task
from upheld.stages.checks.wording import Word
from upheld.trace import Span, current_run, span
from upheld.types import Cause, Claim, Passage, Question, Support, Verdict, unique_passages

Findings = Mapping[int, tuple[Finding, ...]]  # by the place of the claim


@dataclass(frozen=True, slots=True)
class Read:
    """What was found about each claim, and what stopped the search for more."""

    tasks: Sequence[Task]
    findings: Findings
    trouble: Trouble | None


@dataclass(frozen=True, kw_only=True)
class Verify:
    """Claims in, the same claims with verdicts out; without a model, only exact quotes count."""

    model: Entailment | None
    no_model: str = "no verifier model is installed"  # what is said where there is none
    guard: Guard = Guard()
    conclude: Conclude = Conclude()  # fitted with the model's weights
    window_tokens: int = 160  # as in training: 120 words are about 160 word pieces
    least_premise: int = 32  # tokens; a claim that leaves less is too long to check
    max_windows: int = 64  # read of one source; where it has more, the closest
    join_at_most: int = 3  # sources that are tried together where none is cited
    most_foreign: float = 0.3  # share of letters in scripts that the model was not trained on
    carry_question: bool = False  # measured by `upheld bench verify-choices`
    carry_previous: bool = False
    patience: float = 60.0  # seconds for one step of the check, where the budget gives more
    grace: float = 1.0  # seconds for what needs no model, where the budget gives less
    small: int = 5_000  # characters that are worked on in place: a thread would take longer

    async def __call__(
        self, claims: Sequence[Claim], passages: Sequence[Passage], question: Question | None = None
    ) -> tuple[Claim, ...]:
        pace = self.pace(claims, passages)
        read = await self.read(claims, passages, question)
        checked = await pace(lambda: self._concluded(read), self.grace)
        if isinstance(checked, Trouble):
            checked = self._concluded(_given_up(claims, checked))
        for claim in checked:
            if claim.verdict.support is Support.NOT_CHECKED:
                current_run().degrade(f"claims were not checked: {claim.verdict.reason}")
        return checked

    def pace(self, claims: Sequence[Claim], passages: Sequence[Passage]) -> Pace:
        """How to work on texts of this size."""
        texts = [*(claim.text for claim in claims), *(passage.text for passage in passages)]
        return Pace(self.patience, small=sum(map(len, texts)) <= self.small)

    def _concluded(self, read: Read) -> tuple[Claim, ...]:
        model = None if self.model is None else self.model.identity
        return tuple(
            self.conclude(task, read.findings.get(task.place, ()), read.trouble, model)
            for task in read.tasks
        )

    async def read(
        self, claims: Sequence[Claim], passages: Sequence[Passage], question: Question | None = None
    ) -> Read:
        """All that is found about the claims, before it is weighed."""
        pace = self.pace(claims, passages)
        with span("verify") as step:
            # A draft of quotes is what is left when the time is up: those are still seen to be.
            tasks = await pace(lambda: self._quote(claims, passages), self.grace)
            if isinstance(tasks, Trouble):
                return _given_up(claims, tasks)
            if self.model is None:
                return Read(tasks, {}, Trouble(Cause.NO_MODEL, self.no_model))
            return await self._entail(self.model, tasks, question, pace, step)

    def prepare(self, passages: Sequence[Passage]) -> None:
        """Make passages ready for their check: worth doing while the language model writes."""
        for source in _sources(passages):
            source.make_ready(for_model=self.model is not None)

    def _quote(self, claims: Sequence[Claim], passages: Sequence[Passage]) -> list[Task]:
        sources = _sources(passages)
        return [self._task(place, claim, sources) for place, claim in enumerate(claims)]

    def _task(self, place: int, claim: Claim, sources: Sequence[Source]) -> Task:
        """What can be told without a model: not check-worthy, no source, an exact quote."""
        said = spoken(claim.text)
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
        quotes = tuple(
            (source, where)
            for source in (*cited, *others)
            if (where := find_quote(said, source.quotable)) is not None
        )
        unread = {s.passage.id: s.trouble for s in sources if s.trouble is not None}
        return Task(place, claim, said, cited, others, quotes=quotes, unread=unread)

    async def _entail(
        self,
        model: Entailment,
        quoted: Sequence[Task],
        question: Question | None,
        pace: Pace,
        step: Span,
    ) -> Read:
        """The two rungs of the model: what is cited, then what else is at hand."""
        premises = Premises(
            room=model.room,
            count=_counted_once(model),
            window_tokens=self.window_tokens,
            least=self.least_premise,
            max_windows=self.max_windows,
            join_at_most=self.join_at_most,
        )
        word = Word(model=model, premises=premises, most_foreign=self.most_foreign)
        worded = await pace(
            lambda: [word(task, self._context(task, quoted, question)) for task in quoted]
        )
        if isinstance(worded, Trouble):
            return Read(quoted, {}, worded)
        cited, trouble = await self._ask(model, worded, premises.cited, pace, step)
        others: Findings = {}
        if trouble is None:

            def elsewhere(task: Task) -> Iterable[Premise]:
                enough = task.quotes or self.conclude.upholds(task, cited.get(task.place, ()))
                return () if enough else premises.others(task)

            others, trouble = await self._ask(model, worded, elsewhere, pace, step)
        findings = {i: (*cited.get(i, ()), *others.get(i, ())) for i in range(len(worded))}
        return Read(worded, findings, trouble)

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
        premises_of: Callable[[Task], Iterable[Premise]],
        pace: Pace,
        step: Span,
    ) -> tuple[Findings, Trouble | None]:
        """One call of the model for all premises of all claims of a rung."""
        asked = await pace(
            lambda: [
                (each, [(premise, _pair(model, each, premise)) for premise in premises_of(each)])
                for each in tasks
                if each.model_can_read
            ]
        )
        if isinstance(asked, Trouble):
            return {}, asked
        pairs = [pair for _, some in asked for _, pair in some]
        if not pairs:
            return {}, None
        judged = await judge(model, pairs, step, self.patience)
        if isinstance(judged, Trouble):
            return {}, judged
        found = await pace(lambda: self._findings(asked, judged), self.grace)
        return ({}, found) if isinstance(found, Trouble) else (found, None)

    def _findings(
        self,
        asked: Sequence[tuple[Task, Sequence[tuple[Premise, Pair]]]],
        judged: Mapping[Pair, Judgement],
    ) -> Findings:
        return {
            task.place: tuple(
                Finding(premise, judged[pair], self.guard(task.said, premise))
                for premise, pair in some
            )
            for task, some in asked
        }


def _pair(model: Entailment, task: Task, premise: Premise) -> Pair:
    """Premise and claim, the claim in the premise's notation where there is room for it."""
    respelt = in_notation_of(premise.text, task.hypothesis)
    if respelt != task.hypothesis:
        size = model.count_tokens(premise.text) + model.count_tokens(respelt)
        if size <= model.room:
            return Pair(premise.text, respelt)
    return Pair(premise.text, task.hypothesis)


def _sources(passages: Sequence[Passage]) -> list[Source]:
    """Drafts of one run are checked against the same passages: each is made ready once."""
    known: dict[Passage, Source] = current_run().known.setdefault("sources", {})
    return [
        known.get(each) or known.setdefault(each, Source(each))
        for each in unique_passages(passages)
    ]


def _counted_once(model: Entailment) -> Count:
    """The model's count of tokens; a run counts each text once, however often it is cut."""
    count = lru_cache(maxsize=65_536)(model.count_tokens)
    counting: Count = current_run().known.setdefault(("count", id(model)), count)
    return counting


def _given_up(claims: Sequence[Claim], trouble: Trouble) -> Read:
    """Every claim as one that was not checked: not even its quotes were looked for in time."""
    verdict = Verdict(Support.NOT_CHECKED, reason=trouble.reason, cause=trouble.cause)
    tasks = [Task(place, claim, "", settled=verdict) for place, claim in enumerate(claims)]
    return Read(tasks, {}, trouble)
