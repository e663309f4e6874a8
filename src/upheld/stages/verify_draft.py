"""A draft on its way to the reader: a verdict on every sentence, and wrong marks mended."""

from __future__ import annotations

from dataclasses import replace

from upheld.stages.checks.claims import split_answer
from upheld.stages.judge import JudgeUncertain
from upheld.stages.mend import mend
from upheld.stages.verify import Verify
from upheld.types import Claim, Draft


async def verify_draft(verify: Verify, draft: Draft, judge: JudgeUncertain | None = None) -> Draft:
    """The draft, checked against its own evidence; what the deadline cuts off is not checked.

    Where there is a judge, it has the last word on what the verifier is unsure of.
    """
    if not draft.claims:
        return draft
    said = [each for claim in draft.claims for each in one_a_sentence(claim)]
    checked = await verify(said, draft.evidence.passages, draft.question)
    if judge is not None:
        checked = await judge(checked, draft.evidence.passages)
    return replace(draft, claims=tuple(map(mend, checked)))


def one_a_sentence(claim: Claim) -> tuple[Claim, ...]:
    """A claim for every sentence, each with the citations of the whole: small LLMs write several.

    A verdict on several sentences at once would hide which of them is wrong.
    """
    parts = split_answer(claim.text)
    if len(parts) < 2:
        return (claim,)
    return tuple(replace(claim, text=part.text) for part in parts)
