"""Mark or drop claims that no source supports; where documents disagree, both are shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum

from upheld.answer.verdicts import is_checkworthy
from upheld.types import Claim, Conflict, Draft, Event, Support


def conflict_of(claim: Claim) -> Conflict | None:
    """The first pair of different documents that stand for and against a claim."""
    for one in claim.verdict.evidence_for:
        for other in claim.verdict.evidence_against:
            if one.document_id != other.document_id:
                return Conflict(claim.text, one, other)
    return None


def with_conflicts(draft: Draft) -> Draft:
    """The draft, with the conflicts that its verdicts show."""
    found = map(conflict_of, draft.claims)
    return replace(draft, conflicts=tuple(each for each in found if each is not None))


_SEARCHES = ("search", "web_search")  # the stages whose note is what was searched for


class UnsupportedPolicy(StrEnum):
    """What happens to a claim that no repair could get supported."""

    MARK = "mark"
    DROP = "drop"


def apply_policy(draft: Draft, policy: UnsupportedPolicy) -> Draft:
    """The draft with the policy applied; without claims if none of the checked is supported.

    Claims that could not be checked are kept.
    """
    checkable = [claim for claim in draft.claims if is_checkworthy(claim)]
    found = {claim.verdict.support for claim in checkable}
    if found.isdisjoint({Support.SUPPORTED, Support.NOT_CHECKED}):
        return replace(draft, claims=(), notes=(*draft.notes, *_withheld(len(checkable))))
    if policy is UnsupportedPolicy.MARK:
        return draft
    return replace(draft, claims=tuple(claim for claim in draft.claims if not is_rejected(claim)))


def is_rejected(claim: Claim) -> bool:
    """Whether a claim was checked and is not supported; not so where documents disagree."""
    wrong = claim.verdict.support in (Support.UNSUPPORTED, Support.CONTRADICTED)
    return wrong and conflict_of(claim) is None


def telling_searches(draft: Draft, events: Iterable[Event]) -> Draft:
    """An abstention, with what was searched for in vain; any other draft as it is.

    Searches are listed in the order in which they began: several at once end in any order.
    """
    if draft.claims:
        return draft
    began = sorted(events, key=lambda event: event.id)
    queries = dict.fromkeys(event.note for event in began if event.stage in _SEARCHES)
    listed = "; ".join(queries) or draft.question.text
    return replace(draft, notes=(*draft.notes, f"searched for: {listed}"))


def _withheld(count: int) -> tuple[str, ...]:
    if not count:
        return ()
    told = "1 sentence was" if count == 1 else f"{count} sentences were"
    return (f"{told} withheld: no source supports the text",)
