"""Standing: how good an answer is, by the verdicts on its claims; every part of it computed."""

from __future__ import annotations

from collections.abc import Sequence

from upheld.answer.support import is_checkworthy, is_supported
from upheld.assessment.coverage import parts_of, unspoken
from upheld.run.trace import Score
from upheld.types import Draft, Question, Support


def standing(answer: Draft, drafts: Sequence[Draft], llm_calls: int) -> Score:
    """Of an answer and the drafts of the facets that it was joined from.

    Compared in this order: fewer contradicted claims, more facets covered by a supported claim, a
    larger supported share, fewer LLM calls. So dropping everything does not win.
    """
    claims = [claim for claim in answer.claims if is_checkworthy(claim)]
    contradicted = sum(claim.verdict.support is Support.CONTRADICTED for claim in claims)
    share = sum(map(is_supported, claims)) / len(claims) if claims else 0.0
    return (-contradicted, len(covered(drafts)), share, -llm_calls)


def covered(drafts: Sequence[Draft]) -> frozenset[Question]:
    """The facets that a supported claim answers: their own, or one of another that speaks of them.

    A question with one facet is covered by any supported claim: a search was made for it alone.
    """
    supported = {
        draft.question: [claim.text for claim in draft.claims if is_supported(claim)]
        for draft in drafts
    }
    own = {facet for facet, texts in supported.items() if texts}
    parts = parts_of("", [facet.text for facet in supported])
    missing = unspoken(parts, [text for texts in supported.values() for text in texts])
    spoken = {facet for facet in supported if facet.text in parts and facet.text not in missing}
    return frozenset(own | spoken)
