"""The guard: a claim whose figures or names are not in its premise is never supported.

It knows nothing about meaning and says nothing for a claim, only against it: whatever a model
thinks of "2,430 visitors", a premise that says 2,340 does not support it.
"""

from __future__ import annotations

from dataclasses import dataclass

from upheld.stages.checks import figures, names
from upheld.types import Cause


@dataclass(frozen=True, slots=True)
class Objection:
    """What a claim gives and its premise does not."""

    cause: Cause
    missing: tuple[str, ...]

    def __str__(self) -> str:
        kind = "figure" if self.cause is Cause.FIGURE_ABSENT else "name"
        shown = ", ".join(f"“{each}”" for each in dict.fromkeys(self.missing))
        return f"no source has the {kind} {shown}"


@dataclass(frozen=True, kw_only=True)
class Guard:
    """Each half can be switched off, so that what it gains and loses can be measured."""

    check_figures: bool = True
    check_names: bool = True

    def __call__(self, claim: str, given: frozenset[str], known: names.Names) -> Objection | None:
        """Figures must be among those of the premise; names may stand anywhere in its passages.

        A name is carried on by "it" and "she" from far above, a figure is not.
        """
        if self.check_figures and (missing := figures.absent(claim, given)):
            return Objection(Cause.FIGURE_ABSENT, missing)
        if self.check_names and (missing := names.absent(claim, known)):
            return Objection(Cause.NAME_ABSENT, missing)
        return None
