"""Bearing: how likely it is that a claim helps to answer the question, whoever upholds it.

A sentence may stand in a source word for word and still answer another question. The verifier does
not see that; the grader, which read questions beside sentences when it was trained, may.
"""

from __future__ import annotations

from dataclasses import replace

from upheld.calls import grade
from upheld.errors import BudgetExceededError, ModelError
from upheld.ports import Grader, Relevance
from upheld.stages.assess import is_checkworthy
from upheld.trace import current_run
from upheld.types import Claim, Draft, located


async def with_bearing(draft: Draft, grader: Grader | None) -> Draft:
    """The draft, whose claims tell how they bear on its question, where somebody can say."""
    asked = {
        claim: Relevance(draft.question.text, as_passage(claim, draft))
        for claim in draft.claims
        if is_checkworthy(claim)
    }
    if grader is None or not asked:
        return draft
    try:
        chances = await grade(grader, "bearing", list(asked.values()))
    except BudgetExceededError:
        return draft  # the run says so itself
    except ModelError as error:
        reason = str(error).splitlines()[0]
        current_run().degrade(f"how claims bear on the question is not known: {reason}")
        return draft
    bearing = dict(zip(asked, chances, strict=True))
    return replace(
        draft, claims=tuple(replace(each, bearing=bearing.get(each)) for each in draft.claims)
    )


def as_passage(claim: Claim, draft: Draft) -> str:
    """With title and headings of what it cites first, as the quote writer reads sentences."""
    passages = located(draft.evidence.passages)
    cited = [passages[each.passage_id] for each in claim.citations if each.passage_id in passages]
    return replace(cited[0], text=claim.text).searchable if cited else claim.text
