"""Verify a draft: give every sentence a verdict, and fix wrong citations unless told not to."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Protocol

from upheld.answer.verdicts import with_fixed_citations
from upheld.run.trace import current_run
from upheld.types import Claim, Draft, Support
from upheld.verification.claims import split_answer
from upheld.verification.llm_judge import JudgeUncertain
from upheld.verification.verify import Verify


class Check(Protocol):
    """A check that gives every sentence of a draft a verdict."""

    async def __call__(self, draft: Draft) -> Draft: ...


@dataclass(frozen=True, kw_only=True)
class VerifyDraft:
    """Checks a draft against its own evidence; claims left at the deadline are not checked.

    If there is a judge, it decides the claims that the verifier is unsure of.
    """

    verify: Verify
    judge: JudgeUncertain | None = None
    fixes_citations: bool = True  # False: the writer's own, with the verdict on each

    async def __call__(self, draft: Draft) -> Draft:
        """Return the checked draft; a draft already checked in this run is not checked again."""
        if not draft.claims:
            return draft
        passages = draft.evidence.passages
        known: set[Hashable] = current_run().known.setdefault(("checked", id(self.verify)), set())
        against = (draft.question.text, tuple(passage.id for passage in passages))
        checked = draft.claims
        if (checked, against) not in known:
            said = [each for claim in checked for each in one_a_sentence(claim)]
            again = await self.verify(said, passages, draft.question)
            checked = tuple(map(_known_before, said, again))
        if self.judge is not None:
            checked = await self.judge(checked, passages)
        verified = replace(draft, claims=checked)
        fixed = with_fixed_citations(verified)
        if all(claim.verdict.support is not Support.NOT_CHECKED for claim in checked):
            known.update({(checked, against), (fixed.claims, against)})
        return fixed if self.fixes_citations else verified


def _known_before(before: Claim, after: Claim) -> Claim:
    """Keep an earlier verdict of the same run if the new check timed out."""
    lost = after.verdict.support is Support.NOT_CHECKED
    return before if lost and before.verdict.support is not Support.NOT_CHECKED else after


def one_a_sentence(claim: Claim) -> tuple[Claim, ...]:
    """Split a claim into one claim per sentence, each with all citations of the original.

    Small language models write several sentences per claim, and one verdict on all of them would
    hide which one is wrong.
    """
    parts = split_answer(claim.text)
    if len(parts) < 2:
        return (claim,)
    return tuple(replace(claim, text=part.text) for part in parts)
