"""Settle: what becomes of claims that nothing upholds, and of a draft where nothing is upheld."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum

from upheld.answer.support import is_checkworthy
from upheld.methods.by_diagnosis.conflict import conflict_of
from upheld.types import Claim, Draft, Event, Support

_SEARCHES = ("search", "web_search")  # the stages whose note is what was searched for


class Leftover(StrEnum):
    """What becomes of a claim that no repair could uphold."""

    MARK = "mark"
    DROP = "drop"


def settled(draft: Draft, leftover: Leftover) -> Draft:
    """The draft as a reader may have it; it abstains where claims were checked and none held.

    Where checking itself was not possible, nothing is thrown away.
    """
    checkable = [claim for claim in draft.claims if is_checkworthy(claim)]
    found = {claim.verdict.support for claim in checkable}
    if found.isdisjoint({Support.SUPPORTED, Support.NOT_CHECKED}):
        return replace(draft, claims=(), notes=(*draft.notes, *_withheld(len(checkable))))
    if leftover is Leftover.MARK:
        return draft
    return replace(draft, claims=tuple(claim for claim in draft.claims if not fell(claim)))


def fell(claim: Claim) -> bool:
    """Whether a claim was checked and did not hold; where documents disagree, it stands."""
    wrong = claim.verdict.support in (Support.UNSUPPORTED, Support.CONTRADICTED)
    return wrong and conflict_of(claim) is None


def telling_searches(draft: Draft, events: Iterable[Event]) -> Draft:
    """An abstention, with what was searched for in vain; any other draft as it is."""
    if draft.claims:
        return draft
    queries = dict.fromkeys(event.note for event in events if event.stage in _SEARCHES)
    listed = "; ".join(queries) or draft.question.text
    return replace(draft, notes=(*draft.notes, f"searched for: {listed}"))


def _withheld(count: int) -> tuple[str, ...]:
    if not count:
        return ()
    told = "1 sentence was" if count == 1 else f"{count} sentences were"
    return (f"{told} withheld: no source upholds what was written",)
