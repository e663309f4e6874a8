"""The questions of a run in several processes or on a cluster: each worker opens its own methods.

Only the driver writes answers and scores. Workers keep replies of the language model in the files
that a run in one process has, so that a question that is taken up again repeats no call.
"""

from __future__ import annotations

import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from upheld._internal.loop_thread import LoopThread
from upheld.resources.bulk import for_worker
from upheld.resources.open import open_resources
from upheld.settings import Settings
from upheld_lab.bench.runs.ask_variants import Ask
from upheld_lab.bench.runs.records import Outcome, Scored, Variant
from upheld_lab.bench.runs.scoring import Judges, open_judges
from upheld_lab.bench.scores.cost import Prices
from upheld_lab.bench.suites.suite import Asked


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A question that some variants have not answered, or whose answers are not all scored."""

    number: int
    asked: Asked
    answered: frozenset[str]  # by these variants
    unscored: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class Finished:
    """What was missing of a question; nothing, if it was not begun before the time was up."""

    outcomes: tuple[Outcome, ...] = ()
    scored: tuple[Scored, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAsk:
    """Opens methods and judges in a worker. Folders are absolute, and seen by all hosts."""

    settings: Settings
    variants: tuple[Variant, ...]
    calls: Path
    cache: Path
    shared: bool = False
    scorer: Path | None = None
    prices: Prices | None = None
    until: float | None = None  # seconds of `time.time`, after which no question is begun

    def __call__(self) -> AskAndScore:
        return AskAndScore(self)


class AskAndScore:
    """Asks what is missing of one question, and scores it; open as long as its worker lives."""

    def __init__(self, opening: OpenAsk) -> None:
        self._opening = opening
        self._loop, self._opened = LoopThread(), AsyncExitStack()
        self._ask, self._judges = self._loop.run(self._open(opening))

    async def _open(self, opening: OpenAsk) -> tuple[Ask, Judges]:
        parts = await open_resources(for_worker(opening.settings))
        opened = open_judges(opening.scorer, parts.verify.model, opening.prices, opening.cache)
        judges = await self._opened.enter_async_context(opened)
        return Ask(parts, opening.variants, opening.calls, opening.shared), judges

    def __call__(self, question: Unfinished) -> Finished:
        until = self._opening.until
        if until is not None and time.time() >= until:
            return Finished()
        return self._loop.run(self._finish(question))

    async def _finish(self, question: Unfinished) -> Finished:
        outcomes: list[Outcome] = []
        if len(question.answered) < len(self._opening.variants):
            await self._ask(question.number, question.asked, question.answered, outcomes.append)
        # Other workers share the processors, so that the seconds tell nothing.
        untimed = tuple(replace(each, untimed=True) for each in outcomes)
        unscored = (*question.unscored, *untimed)
        scored = [await self._judges(question.asked, each) for each in unscored]
        return Finished(untimed, tuple(scored))
