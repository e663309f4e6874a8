"""Premises for a claim: windows of each source, its closest sentences, and sources together.

`Task` is a claim during its check: its text, its sources, and what is known so far.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from upheld.ports import Judgement
from upheld.text.sentences import Span
from upheld.text.word_search import best_of
from upheld.text.words import terms
from upheld.types import Cause, Claim, Verdict
from upheld.verification.rules import Veto
from upheld.verification.source import CheckFailure, Count, Premise, Source, joined

if TYPE_CHECKING:
    from upheld.ports import Vector


@dataclass(frozen=True, slots=True)
class Task:
    """One claim to check."""

    place: int
    claim: Claim
    said: str  # the text without marks and list signs
    cited: tuple[Source, ...] = ()
    others: tuple[Source, ...] = ()
    settled: Verdict | None = None  # set if there is nothing to check
    quotes: tuple[tuple[Source, Span], ...] = ()
    failure: CheckFailure | None = None  # why the model cannot read the claim
    hypothesis: str = ""  # what the model reads
    size: int = 0  # tokens of the hypothesis
    vector: Vector | None = None  # set if windows are searched by vectors
    unread: Mapping[str, CheckFailure] = field(default_factory=dict)  # by passage id

    @property
    def model_can_read(self) -> bool:
        return self.settled is None and self.failure is None

    @property
    def blind_spot(self) -> CheckFailure | None:
        """Why unsupported cannot be concluded: sources that matter were not read.

        A cited source must be read. Without citations, an empty source among others is ignored,
        since it states nothing.
        """
        matter = self.cited or self.others
        found = [self.unread[each.passage.id] for each in matter if each.passage.id in self.unread]
        if self.cited or len(found) == len(matter):
            return next(iter(found), None)
        return next((each for each in found if each.cause is not Cause.SOURCE_EMPTY), None)


@dataclass(frozen=True, slots=True)
class Finding:
    """The model's judgement of one premise, and the rule that vetoes it, if any."""

    premise: Premise
    judgement: Judgement
    veto: Veto | None = None

    @property
    def sources(self) -> tuple[Source, ...]:
        return tuple(part.source for part in self.premise.parts)


_EVEN = 16  # tokens; sizes of whole sources are multiples of it, those of windows of `_STEP`
_STEP = 32


@dataclass(frozen=True, slots=True)
class Premises:
    """Cuts sources into premises that a model can read beside a claim.

    Of every source the model reads the sentence nearest to the claim, since it overlooks a wrong
    word more easily in a long text. A source as short as a window is also read whole. Of a longer
    one, the model reads the sentences gathered for the claim; and if it does not fit beside the
    claim, also the windows that a search by words and vectors finds. Together with the premises
    that join several sources, that is at most `most_pairs` pairs for a claim and a source, however
    long the source is.
    """

    room: int  # tokens of premise and claim together
    count: Count
    window_tokens: int
    least: int
    max_windows: int
    join_at_most: int
    most_pairs: int
    vector_weight: float

    def make_ready(self, source: Source) -> None:
        """Compute what does not depend on the claim: the windows of a long source."""
        if source.failure is None and source.whole(self.window_tokens, self.count) is None:
            source.searchable(self.window_tokens, self.count, self.max_windows)

    def searched(self, source: Source) -> Sequence[Premise]:
        """Return the windows of a source that has too many to read them all; else none."""
        if source.failure is not None or source.whole(self.window_tokens, self.count) is not None:
            return ()
        found = source.searchable(self.window_tokens, self.count, self.max_windows).premises
        return found if len(found) >= self.most_pairs else ()

    def cited(self, task: Task, _found: Sequence[Finding] = ()) -> Iterator[Premise]:
        """Yield cited sources, each alone and all together, except those that the claim quotes."""
        quoted = {source.passage.id for source, _ in task.quotes}
        yield from self._alone(task, (s for s in task.cited if s.passage.id not in quoted))
        if not quoted:
            yield from self._together(task, task.cited)

    def others(self, task: Task) -> Iterator[Premise]:
        """Yield the sources that the claim does not cite, and the closest of all together.

        Where it cites one, another is read only if it is among the closest and has as many of the
        claim's terms, and all together only if they have more: else they can hardly say what the
        cited one does not.
        """
        known = {s: s.terms_of(task.said) for s in (*task.cited, *task.others)}
        closest = sorted(known, key=lambda each: -len(known[each]))[: self.join_at_most]
        if not task.cited:
            yield from self._alone(task, task.others)
            yield from self._together(task, closest)
            return
        most = max(len(known[each]) for each in task.cited)
        rivals = [s for s in closest if s not in task.cited and len(known[s]) >= most]
        yield from self._alone(task, rivals)
        if len(frozenset[str]().union(*(known[each] for each in closest))) > most:
            yield from self._together(task, closest)

    def too_long(self, task: Task, source: Source) -> CheckFailure | None:
        """Return a failure if a source has more windows than are searched."""
        if source.whole(self._window(task), self.count) is not None:
            return None
        found = source.searchable(self._window(task), self.count, self.max_windows)
        if not found.left_out:
            return None
        every, read = found.left_out + len(found.premises), len(found.premises)
        reason = f"of the source's {every} windows only the first {read} were searched"
        return CheckFailure(Cause.SOURCE_TOO_LONG, reason)

    def _alone(self, task: Task, sources: Iterable[Source]) -> Iterator[Premise]:
        for source in sources:
            if not _readable(task, source):
                continue
            focused = source.focused(task.said, self._window(task), self.count)
            if focused is not None:
                yield focused
            whole = source.whole(self._window(task), self.count)
            if whole is not None:
                yield whole
                continue
            # Evidence that is pages apart is in no single window, but in the gathered sentences.
            yield source.gathered(task.said, self._window(task), self.count)
            if source.whole((self.room - task.size) // _EVEN * _EVEN, self.count) is None:
                yield from self._windows(task, source)

    def _together(self, task: Task, sources: Sequence[Source]) -> Iterator[Premise]:
        readable = [source for source in sources if _readable(task, source)]
        share = (self.room - task.size) // max(len(readable), 1)
        if len(readable) > 1 and share >= self.least:
            yield joined([each.gathered(task.said, share, self.count) for each in readable])

    def _windows(self, task: Task, source: Source) -> Sequence[Premise]:
        """Return all windows of a source, or those closest to the claim, in document order."""
        size = self._window(task)
        found = source.searchable(size, self.count, self.max_windows)
        most = self.most_pairs - 2 - _joint_premises(task, source)
        if len(found.premises) <= most:
            return found.premises
        vectors = source.vectors.get(size)
        cosines = None
        if vectors is not None and task.vector is not None:
            cosines = (vectors @ task.vector).tolist()
        scores = found.words.bm25(terms(task.said))
        nearest = best_of(scores, cosines, most, self.vector_weight)
        return [found.premises[at] for at in sorted(nearest)]

    def _window(self, task: Task) -> int:
        """Return the window size: fixed, except for long claims, which leave less room."""
        left = self.room - task.size
        return self.window_tokens if left >= self.window_tokens else max(left // _STEP, 1) * _STEP


def _joint_premises(task: Task, source: Source) -> int:
    """Return how many premises may join this source with others."""
    among_cited = len(task.cited) > 1 and source in task.cited
    return among_cited + (len(task.cited) + len(task.others) > 1)


def _readable(task: Task, source: Source) -> bool:
    """Return whether a source can be read; one that is too long is read in part."""
    failure = task.unread.get(source.passage.id)
    return failure is None or failure.cause is Cause.SOURCE_TOO_LONG
