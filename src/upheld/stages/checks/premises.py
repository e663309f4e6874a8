"""Premises for a claim: windows of each source, its closest sentences, and sources together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from upheld.stages.checks.source import Count, Premise, Source, Trouble, joined
from upheld.stages.checks.task import Finding, Task
from upheld.stages.cite import terms
from upheld.types import Cause

_STEP = 16


@dataclass(frozen=True, slots=True)
class Premises:
    """Cuts sources to what a model can read beside a claim."""

    room: int  # tokens of premise and claim together
    count: Count
    window_tokens: int
    least: int
    max_windows: int
    join_at_most: int

    def cited(self, task: Task, _found: Sequence[Finding] = ()) -> Iterator[Premise]:
        """Cited sources, each alone and all together; those that it quotes need no more."""
        quoted = {source.passage.id for source, _ in task.quotes}
        yield from self._alone(task, (s for s in task.cited if s.passage.id not in quoted))
        if not quoted:
            yield from self._together(task, task.cited)

    def others(self, task: Task) -> Iterator[Premise]:
        """The sources it does not cite, and the closest of all together."""
        yield from self._alone(task, task.others)
        nearest = sorted((*task.cited, *task.others), key=lambda each: -each.overlap(task.said))
        yield from self._together(task, nearest[: self.join_at_most])

    def too_long(self, task: Task, source: Source) -> Trouble | None:
        """Whether a source has more windows than will be read."""
        needed = len(source.windows(self._window(task), self.count))
        if needed <= self.max_windows:
            return None
        reason = f"of the source's {needed} windows only the {self.max_windows} closest were read"
        return Trouble(Cause.SOURCE_TOO_LONG, reason)

    def _alone(self, task: Task, sources: Iterable[Source]) -> Iterator[Premise]:
        for source in sources:
            if not _readable(task, source):
                continue
            whole = source.windows(self._left(task), self.count)
            if len(whole) == 1:
                yield from whole
                continue
            # Evidence that stands pages apart is in no window, but in the sentences gathered.
            yield source.gathered(task.said, self._window(task), self.count)
            yield from self._closest(task, source.windows(self._window(task), self.count))

    def _together(self, task: Task, sources: Sequence[Source]) -> Iterator[Premise]:
        readable = [source for source in sources if _readable(task, source)]
        share = (self.room - task.size) // max(len(readable), 1)
        if len(readable) > 1 and share >= self.least:
            yield joined([each.gathered(task.said, share, self.count) for each in readable])

    def _closest(self, task: Task, windows: Sequence[Premise]) -> Sequence[Premise]:
        if len(windows) <= self.max_windows:
            return windows
        told = terms(task.said)
        return sorted(windows, key=lambda each: -len(told & terms(each.text)))[: self.max_windows]

    def _window(self, task: Task) -> int:
        return min(self.window_tokens, self._left(task))

    def _left(self, task: Task) -> int:
        """What a claim leaves: in steps, so that claims of like length share windows."""
        return (self.room - task.size) // _STEP * _STEP


def _readable(task: Task, source: Source) -> bool:
    """A source that is too long is read in part; any other trouble means not at all."""
    trouble = task.unread.get(source.passage.id)
    return trouble is None or trouble.cause is Cause.SOURCE_TOO_LONG
