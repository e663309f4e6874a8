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
        """Return the checked draft; a draft already checked in this run is not checked again.

        If a check could not run, the verdict that this run gave the same sentence before stands.
        """
        if not draft.claims:
            return draft
        passages = draft.evidence.passages
        known: set[Hashable] = current_run().known.setdefault(("checked", id(self.verify)), set())
        against = (draft.question.text, tuple(passage.id for passage in passages))
        checked = draft.claims
        if (checked, against) not in known:
            said = [each for claim in checked for each in one_a_sentence(claim)]
            again = await self.verify(said, passages, draft.question)
            checked = tuple(
                before if _is_lost(after) and _judged(before) in known else after
                for before, after in zip(said, again, strict=True)
            )
        if self.judge is not None:
            checked = await self.judge(checked, passages)
        known.update(_judged(claim) for claim in checked if not _is_lost(claim))
        verified = replace(draft, claims=checked)
        fixed = with_fixed_citations(verified)
        if not any(map(_is_lost, checked)):
            known.update({(checked, against), (fixed.claims, against)})
        return fixed if self.fixes_citations else verified


def _judged(claim: Claim) -> Hashable:
    """What shows that this run gave a sentence its verdict: methods may bring others along."""
    return claim.text, claim.verdict


def _is_lost(claim: Claim) -> bool:
    return claim.verdict.support is Support.NOT_CHECKED


def one_a_sentence(claim: Claim) -> tuple[Claim, ...]:
    """Split a claim into one claim per sentence, each with all citations of the original.

    Small language models write several sentences per claim, and one verdict on all of them would
    hide which one is wrong.
    """
    parts = split_answer(claim.text)
    if len(parts) < 2:
        return (claim,)
    return tuple(replace(claim, text=part.text) for part in parts)
