"""One question, asked of every variant, each as if it were alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from upheld.ask_options import AskOptions
from upheld.client import AsyncUpheld
from upheld.errors import LLMOutputError, UpheldError
from upheld.methods.build import StageFactory
from upheld.methods.registry import parameters
from upheld.ports import Searcher
from upheld.resources.open import Resources, judge_stage
from upheld.run.trace import current_run
from upheld.types import Draft, Event, Passage, Question, Scope, content_hash
from upheld.verification.chain import Judgment
from upheld_lab.bench.runs.kept_calls import KeptCalls
from upheld_lab.bench.runs.records import Outcome, Variant, Verified
from upheld_lab.bench.runs.shared import sharing
from upheld_lab.bench.runs.variants import told
from upheld_lab.bench.suites.suite import Asked


@dataclass(slots=True)
class FirstLook:
    """A listener of one run. An answer keeps neither its first draft nor what that was made of."""

    draft: Draft | None = None
    said: Event | None = None
    revised: str = ""

    def __call__(self, event: Event) -> None:
        if self.said is None and event.stage == "judgment":
            # The first draft has been offered, and there is none other yet.
            self.draft, self.said = current_run().best, event
        elif self.said is not None and event.stage == "search" and not self.revised:
            self.revised = event.note

    async def verified(self, search: Searcher) -> Verified | None:
        """What was seen; `search` tells what the revised question found, as the method's own."""
        if self.draft is None or self.said is None:
            return None
        judgment = None
        if self.said.error is None:
            judgment = Judgment(self.said.note.partition(",")[0])
        elif not self.said.error.startswith(LLMOutputError.__name__):
            return None  # refused: there was no reply that could have had a format
        answer = " ".join(claim.text for claim in self.draft.claims)
        found = await _found(search, self.revised)
        return Verified(judgment, answer, self.draft.evidence.passages, self.revised, found)


async def _found(search: Searcher, query: str) -> tuple[Passage, ...]:
    if query:
        with suppress(UpheldError):  # the method met the same, and went on without
            return (await search(Question(query))).passages
    return ()


FOUND = 20  # passages of a plain search that are noted beside the answers


@dataclass(frozen=True, slots=True)
class Ask:
    """Asks with parts that are opened once; `calls` is where replies are kept."""

    parts: Resources
    variants: Sequence[Variant]
    calls: Path
    shared: bool = False  # small models read each text once a question

    async def __call__(
        self, number: int, asked: Asked, done: Collection[str], keep: Callable[[Outcome], None]
    ) -> None:
        """What each variant makes of it, but for those that are done, is kept as it comes."""
        parts = sharing(self.parts) if self.shared else self.parts
        found = await self._found(parts, asked)
        for variant in in_turn(self.variants, number):
            if variant.name not in done:
                keep(await self._outcome(parts, number, asked, variant, found))

    async def warm_up(self, asked: Asked) -> None:
        """Local models are loaded by whoever asks first: that is nobody's time."""
        with suppress(UpheldError):
            quoting = replace(self.parts, llm=None, judge=None)
            await AsyncUpheld(quoting).ask(
                asked.text, method="rag", options=AskOptions(calibrated=False)
            )

    async def _found(self, parts: Resources, asked: Asked) -> tuple[str, ...]:
        try:
            evidence = await AsyncUpheld(parts).search(asked.text, limit=FOUND)
        except UpheldError:
            return ()  # every variant meets the same error, and tells of it
        return tuple(passage.id for passage in evidence.passages)

    async def _outcome(
        self, parts: Resources, number: int, asked: Asked, variant: Variant, found: tuple[str, ...]
    ) -> Outcome:
        kept = None
        if parts.llm is not None:
            kept = KeptCalls(parts.llm, self._file(variant), asked.id)
            judge = judge_stage(parts.settings, kept, parts.verify)
            parts = replace(parts, llm=kept, judge=judge)
        preset, given = told(variant)
        answer, error, look = None, None, FirstLook()
        began = time.perf_counter()
        try:
            answer = await AsyncUpheld(parts).ask(
                asked.text,
                method=variant.method,
                preset=preset,
                parameters=given,
                # A guarantee is one pipeline's, and there are several here.
                options=AskOptions(calibrated=False, listener=look),
            )
        except UpheldError as raised:
            error = f"{type(raised).__name__}: {raised.args[0]}"
        seconds = time.perf_counter() - began
        untimed = self.shared or (kept is not None and kept.replayed > 0)
        if kept is not None and (failed := kept.unavailable or (number == 0 and kept.rejected)):
            # Methods make do without a model, but that is not what was to be measured. A refusal
            # of the very first question is a wrong name or key; a later one may be a long prompt.
            raise failed
        verified = await look.verified(self._search(parts, variant))
        return Outcome(asked.id, variant.name, answer, error, seconds, untimed, found, verified)

    def _search(self, parts: Resources, variant: Variant) -> Searcher:
        """What the variant itself searches with."""
        settings = parts.settings
        preset, given = told(variant)
        usual = {"search": settings.search, "passages": settings.passages}
        chosen = parameters(variant.method, given, preset=preset, settings=usual)
        return StageFactory(parts, Scope(settings.collection), chosen).search()

    def _file(self, variant: Variant) -> Path:
        return self.calls / f"{variant.method}-{content_hash(variant.name)[:12]}.sqlite3"


def in_turn(variants: Sequence[Variant], number: int) -> list[Variant]:
    """The variants from another one on for each question: none always meets a cold prefix cache."""
    first = number % len(variants)
    return [*variants[first:], *variants[:first]]
