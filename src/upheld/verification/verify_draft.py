"""A draft on its way to the reader: a verdict on every sentence, and wrong marks mended."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Protocol

from upheld.answer.verdicts import fix_citations
from upheld.run.trace import current_run
from upheld.types import Claim, Draft, Support
from upheld.verification.claims import split_answer
from upheld.verification.llm_judge import JudgeUncertain
from upheld.verification.verify import Verify


class Check(Protocol):
    """A verdict for every sentence of a draft."""

    async def __call__(self, draft: Draft) -> Draft: ...


@dataclass(frozen=True, kw_only=True)
class VerifyDraft:
    """The draft, checked against its own evidence; what the deadline cuts off is not checked.

    Where there is a judge, it has the last word on what the verifier is unsure of.
    """

    verify: Verify
    judge: JudgeUncertain | None = None

    async def __call__(self, draft: Draft) -> Draft:
        """What this run has checked against the same passages is not checked again."""
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
        mended = tuple(map(fix_citations, checked))
        if all(claim.verdict.support is not Support.NOT_CHECKED for claim in mended):
            known.add((mended, against))
        return replace(draft, claims=mended)


def _known_before(before: Claim, after: Claim) -> Claim:
    """A check that was cut off takes back nothing that an earlier one found in the same run."""
    lost = after.verdict.support is Support.NOT_CHECKED
    return before if lost and before.verdict.support is not Support.NOT_CHECKED else after


def one_a_sentence(claim: Claim) -> tuple[Claim, ...]:
    """A claim for every sentence, each with the citations of the whole: small LLMs write several.

    A verdict on several sentences at once would hide which of them is wrong.
    """
    parts = split_answer(claim.text)
    if len(parts) < 2:
        return (claim,)
    return tuple(replace(claim, text=part.text) for part in parts)
