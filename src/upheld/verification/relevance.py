"""Bearing: how likely it is that a claim helps to answer the question, whoever upholds it.

A sentence may stand in a source word for word and still answer another question. The verifier does
not see that; the grader, which read questions beside sentences when it was trained, may. How near
the embedder puts the two is wrong about other claims than the grader is, so both are asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from upheld._internal.concurrency import together
from upheld._internal.probability import grade_logit, sigmoid
from upheld.answer.verdicts import is_checkworthy
from upheld.errors import BudgetExceededError, ModelError
from upheld.ports import Embedder, Grader, QueryPassagePair
from upheld.run.calls import embed, grade
from upheld.run.trace import current_run
from upheld.types import Claim, Draft, Evidence, located

# Fitted on dev answers by `python -m upheld_lab.fits relevance`: docs/decisions/011-one-passage.md
GRADE, NEARNESS, SHIFT = 0.475, 3.69, -2.07


async def score_relevance(draft: Draft, grader: Grader | None, embedder: Embedder | None) -> Draft:
    """The draft, whose claims tell how they bear on its question, where somebody can say."""
    claims = [claim for claim in draft.claims if is_checkworthy(claim)]
    if grader is None or not claims:
        return draft
    question, texts = draft.question.text, titled(claims, draft.evidence)
    pairs = [QueryPassagePair(question, text) for text in texts]
    try:
        grades, nearness = await together(
            grade(grader, "bearing", pairs), cosine_similarities(question, texts, embedder)
        )
    except BudgetExceededError:
        return draft  # the run says so itself
    except ModelError as error:
        reason = str(error).splitlines()[0]
        current_run().degrade(f"how claims bear on the question is not known: {reason}")
        return draft
    bearing = dict(zip(claims, map(probability, grades, nearness), strict=True))
    return replace(
        draft, claims=tuple(replace(each, bearing=bearing.get(each)) for each in draft.claims)
    )


def probability(grade: float, nearness: float | None) -> float:
    """Of helping to answer, by both; by the grade alone where there is nobody else."""
    if nearness is None:
        return grade
    return sigmoid(GRADE * grade_logit(grade) + NEARNESS * nearness + SHIFT)


async def cosine_similarities(
    question: str, texts: Sequence[str], embedder: Embedder | None
) -> Sequence[float | None]:
    """The cosine of each text and the question."""
    if embedder is None:
        return [None] * len(texts)
    try:
        asked, *said = await embed(embedder, [question, *texts])
    except ModelError as error:
        reason = str(error).splitlines()[0]
        current_run().degrade(f"the embedder failed, grades alone tell what bears: {reason}")
        return [None] * len(texts)
    return [float(each @ asked) for each in said]


def titled(claims: Sequence[Claim], evidence: Evidence) -> list[str]:
    """Each with title and headings of what it cites first, as the quote writer reads sentences."""
    passages = located(evidence.passages)
    cited = [
        next((passages[c.passage_id] for c in claim.citations if c.passage_id in passages), None)
        for claim in claims
    ]
    return [
        replace(passage, text=claim.text).searchable if passage else claim.text
        for claim, passage in zip(claims, cited, strict=True)
    ]
