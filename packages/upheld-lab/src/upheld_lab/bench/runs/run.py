"""A run: one fixed list of questions, all variants on one of them before the next.

So a run that is cut at any time is a fair one; and the same plan, run again, goes on with it.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from upheld._internal.concurrency import all_of
from upheld.bulk import Broken, Bulk, Stage
from upheld.errors import BulkError
from upheld.resources.bulk import open_bulk
from upheld.resources.open import Resources, open_llm, open_resources
from upheld.settings import Settings
from upheld_lab.bench.report import Watch
from upheld_lab.bench.runs.ask_variants import Ask
from upheld_lab.bench.runs.in_workers import OpenAsk, Unfinished
from upheld_lab.bench.runs.kb import settings_for
from upheld_lab.bench.runs.records import Outcome, Variant
from upheld_lab.bench.runs.resume import begin, facts
from upheld_lab.bench.runs.scoring import Judges, need_scorer, open_judges
from upheld_lab.bench.runs.store import RunFolder
from upheld_lab.bench.scores.cost import Prices
from upheld_lab.bench.split import Split
from upheld_lab.bench.suites.suite import Asked, Suite


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is asked, of whom, and where it is kept."""

    suite: Suite  # without passages: asked of the knowledge base in the settings
    variants: tuple[Variant, ...]
    settings: Settings
    out: Path
    cache: Path
    split: Split = Split.TEST
    seed: int = 0
    limit: int | None = None
    parallel: int = 1  # questions at once; more than one spoils the times
    on: str | None = None  # where questions are asked, by workers; no times then
    shared: bool = False  # small models read each text once a question; no times then
    hours: float | None = None  # after which no question is begun
    scorer: Path | None = None
    prices: Prices | None = None


async def run(plan: Plan, watch: Watch) -> RunFolder:
    """Open everything, ask, score, and close."""
    await _check(plan)
    async with _workers(plan.on) as bulk:
        settings = await settings_for(plan.suite, plan.settings, plan.cache, watch)
        async with _opened(settings) as parts:
            verifier = parts.verify.model
            async with open_judges(plan.scorer, verifier, plan.prices, plan.cache) as judges:
                return await run_on(plan, parts, judges, watch, bulk)


async def _check(plan: Plan) -> None:
    """What cannot be opened is told before minutes of indexing."""
    if plan.scorer is not None:
        need_scorer(plan.scorer)
    if (llm := open_llm(plan.settings)) is not None:
        await llm.close()


@asynccontextmanager
async def _workers(on: str | None) -> AsyncIterator[Bulk | None]:
    if on is None:
        yield None
        return
    bulk = await asyncio.to_thread(open_bulk, on)  # a cluster takes seconds
    try:
        yield bulk
    finally:
        await asyncio.to_thread(bulk.close)


@asynccontextmanager
async def _opened(settings: Settings) -> AsyncIterator[Resources]:
    parts = await open_resources(settings)
    try:
        yield parts
    finally:
        await parts.close()


async def run_on(
    plan: Plan, parts: Resources, judges: Judges, watch: Watch, bulk: Bulk | None = None
) -> RunFolder:
    """Ask and score what the folder does not hold yet, here or in workers."""
    folder = RunFolder(plan.out)
    now = await facts(
        parts,
        judges,
        suite=plan.suite.name,
        split=plan.split.value,
        seed=plan.seed,
        limit=plan.limit,
        variants=[variant.name for variant in plan.variants],
        data=dict(plan.suite.hashes),
        parallel=plan.parallel,
        shared=plan.shared,
    )
    begin(folder, now, plan.suite.questions)
    ask = Ask(parts, plan.variants, folder.calls, plan.shared)
    running = InProgress(plan, folder, ask, judges, watch)
    await (running.finish() if bulk is None else running.finish_in(bulk))
    return folder


@dataclass(slots=True)
class InProgress:
    """A run that is being made: what is there already, and what is still to do."""

    plan: Plan
    folder: RunFolder
    ask: Ask
    judges: Judges
    watch: Watch
    outcomes: dict[str, dict[str, Outcome]] = field(init=False)  # by question, then variant
    scored: set[tuple[str, str]] = field(init=False)

    def __post_init__(self) -> None:
        self.outcomes = defaultdict(dict)
        for outcome in self.folder.outcomes():
            self.outcomes[outcome.question][outcome.variant] = outcome
        self.scored = {(each.question, each.variant) for each in self.folder.scored()}

    async def finish(self) -> None:
        """Take questions in their order, several at once where that is wanted."""
        self._tell()
        await self.ask.warm_up(self.plan.suite.questions[0])
        questions = self._in_time()
        await all_of(self._work(questions) for _ in range(self.plan.parallel))

    def _in_time(self) -> Iterator[tuple[int, Asked]]:
        """The list, until the time is up; who works on it takes the next."""
        began = time.monotonic()
        for place in enumerate(self.plan.suite.questions):
            hours = (time.monotonic() - began) / 3600
            if self.plan.hours is not None and hours >= self.plan.hours:
                return
            yield place

    async def _work(self, questions: Iterator[tuple[int, Asked]]) -> None:
        for number, asked in questions:
            done = self.outcomes[asked.id]
            if len(done) < len(self.plan.variants):
                await self.ask(number, asked, done.keys(), self._keep)
            left = [each for each in done.values() if (asked.id, each.variant) not in self.scored]
            self.folder.add_scored([await self.judges(asked, outcome) for outcome in left])

    async def finish_in(self, bulk: Bulk) -> None:
        """Send what is missing to workers, and keep what they return."""
        self._tell()
        results = bulk.run(self._unfinished(), Stage("ask", self._opening()))
        while (finished := await asyncio.to_thread(next, results, None)) is not None:
            if isinstance(finished, Broken):
                raise BulkError(f"The question {finished.item.asked.id} failed: {finished.reason}")
            for outcome in finished.outcomes:
                self._keep(outcome)
            self.folder.add_scored(finished.scored)

    def _unfinished(self) -> list[Unfinished]:
        found = []
        for number, asked in enumerate(self.plan.suite.questions):
            done = self.outcomes[asked.id]
            unscored = tuple(
                each for each in done.values() if (asked.id, each.variant) not in self.scored
            )
            if unscored or len(done) < len(self.plan.variants):
                found.append(Unfinished(number, asked, frozenset(done), unscored))
        return found

    def _opening(self) -> OpenAsk:
        plan, settings = self.plan, self.ask.parts.settings
        if "://" not in settings.kb:
            settings = settings.model_copy(update={"kb": str(Path(settings.kb).resolve())})
        return OpenAsk(
            settings=settings,
            variants=plan.variants,
            calls=self.folder.calls.resolve(),
            cache=plan.cache.resolve(),
            shared=plan.shared,
            scorer=plan.scorer and plan.scorer.resolve(),
            prices=plan.prices,
            until=None if plan.hours is None else time.time() + plan.hours * 3600,
        )

    def _keep(self, outcome: Outcome) -> None:
        self.folder.add_outcome(outcome)
        self.outcomes[outcome.question][outcome.variant] = outcome
        self._tell()

    def _tell(self) -> None:
        answers = sum(map(len, self.outcomes.values()))
        total = len(self.plan.suite.questions) * len(self.plan.variants)
        self.watch("answers", answers, total)
