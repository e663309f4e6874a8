"""Consistency rules: vetoes against claims whose figures, names or assertion a premise lacks.

They never speak for a claim, only against it. Whatever a model thinks of "2,430 visitors", a
premise that says 2,340 does not support it; nor does "It is false that X" support X.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from upheld.text import figures, names
from upheld.text.words import terms
from upheld.types import Cause
from upheld.verification.assertion import Unasserted, carries
from upheld.verification.source import Premise, Source

_NEAR = 0.5  # share of the claim's terms that a sentence has if the claim is about it
_AS_NEAR = 0.8  # share of those that another sentence must have to say the claim as well


@dataclass(frozen=True, slots=True)
class Veto:
    """Why a premise does not support a claim."""

    cause: Cause
    reason: str
    missing: int = 1  # how much of the claim it does not have


@dataclass(frozen=True, kw_only=True)
class ConsistencyRules:
    """Each part can be switched off, so that what it gains and loses can be measured."""

    check_figures: bool = True
    check_names: bool = True
    check_voice: bool = True

    def __call__(self, claim: str, premise: Premise) -> Veto | None:
        """Figures must be among those of the premise; names may stand anywhere in its passages.

        A name is carried on by "it" and "she" from far above, a figure is not.
        """
        if self.check_figures and (missing := figures.absent(claim, figures.values(premise.text))):
            return _absent(Cause.FIGURE_ABSENT, "figure", missing)
        known = (part.source.names for part in premise.parts)
        if self.check_names and (missing := names.absent(claim, *known)):
            return _absent(Cause.NAME_ABSENT, "name", missing)
        if self.check_voice and (found := _put_off(claim, premise)) is not None:
            source, words = found
            shown = " ".join(source.text[words.start : words.end].split())
            reason = f"in its source this is {words.assertion.value}: “{shown}”"
            return Veto(Cause.NOT_ASSERTED, reason)
        return None


def _absent(cause: Cause, kind: str, missing: Sequence[str]) -> Veto:
    shown = ", ".join(f"“{each}”" for each in dict.fromkeys(missing))
    return Veto(cause, f"no source has the {kind} {shown}", len(missing))


def _put_off(claim: str, premise: Premise) -> tuple[Source, Unasserted] | None:
    """The words nearest to a claim, where their source puts them off and nothing else says it."""
    if not any(part.source.unasserted for part in premise.parts):
        return None
    told = terms(claim)
    every = [
        (source, span, len(told & terms(source.text[slice(*span)])))
        for part in premise.parts
        for source in (part.source,)
        for span in source.inside(part.spans)
    ]
    nearest = max((shared for _, _, shared in every), default=0)
    if nearest < _NEAR * len(told) or not nearest:
        return None
    found: tuple[Source, Unasserted] | None = None
    for source, span, shared in every:
        if shared < _AS_NEAR * nearest:
            continue
        words = source.unasserted.get(span)
        if (
            words is None
            or not _about(told, source, span, words)
            or carries(claim, words.assertion)
        ):
            return None  # it is said here
        found = found or (source, words)
    return found


def _about(told: frozenset[str], source: Source, span: tuple[int, int], words: Unasserted) -> bool:
    """Whether what a claim shares with a sentence stands rather in the words put off."""
    shared = told & terms(source.text[slice(*span)])
    inside = shared & terms(source.text[words.start : words.end])
    return len(inside) * 2 >= len(shared)
