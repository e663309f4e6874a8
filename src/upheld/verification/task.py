"""A claim on its way through the checks: what it says, its sources, and what is known so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from upheld.ports import Judgement
from upheld.text.sentences import Span
from upheld.types import Cause, Claim, Verdict
from upheld.verification.rules import Objection
from upheld.verification.source import Premise, Source, Trouble

if TYPE_CHECKING:
    from upheld.ports import Vector


@dataclass(frozen=True, slots=True)
class Task:
    """One claim to check."""

    place: int
    claim: Claim
    said: str  # without marks and list signs
    cited: tuple[Source, ...] = ()
    others: tuple[Source, ...] = ()
    settled: Verdict | None = None  # nothing to check
    quotes: tuple[tuple[Source, Span], ...] = ()
    trouble: Trouble | None = None  # why the model cannot read the claim
    hypothesis: str = ""  # what the model reads
    size: int = 0  # its tokens
    vector: Vector | None = None  # where windows are searched by vectors
    unread: Mapping[str, Trouble] = field(default_factory=dict)  # sources, by passage

    @property
    def model_can_read(self) -> bool:
        return self.settled is None and self.trouble is None

    @property
    def blind_spot(self) -> Trouble | None:
        """Why a search for support in vain proves nothing: sources that matter were not read.

        A cited source must be read. Without citations, an empty source among others has nothing
        to say and takes nothing away.
        """
        matter = self.cited or self.others
        found = [self.unread[each.passage.id] for each in matter if each.passage.id in self.unread]
        if self.cited or len(found) == len(matter):
            return next(iter(found), None)
        return next((each for each in found if each.cause is not Cause.SOURCE_EMPTY), None)


@dataclass(frozen=True, slots=True)
class Finding:
    """What the model said about one premise, and what the guard has against it."""

    premise: Premise
    judgement: Judgement
    objection: Objection | None = None

    @property
    def sources(self) -> tuple[Source, ...]:
        return tuple(part.source for part in self.premise.parts)
