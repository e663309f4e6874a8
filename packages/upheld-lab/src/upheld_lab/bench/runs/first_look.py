"""A chain of verification, listened to: what it said of the first answer, and what it led to."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from upheld.errors import LLMOutputError, UpheldError
from upheld.ports import Searcher
from upheld.run.trace import current_run
from upheld.types import Draft, Event, Passage, Question
from upheld.verification.chain import Judgment
from upheld_lab.bench.runs.records import Verified


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
