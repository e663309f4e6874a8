"""Relevance of claims: the probability that a claim helps to answer the question.

A sentence may be an exact quote of a source and still answer another question. The verifier does
not see that; the grader, which was trained on pairs of question and sentence, may. The cosine
similarity of the two errs on other claims than the grader does, so both are combined.
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
GRADE, SIMILARITY, SHIFT = 0.475, 3.69, -2.07


async def score_relevance(draft: Draft, grader: Grader | None, embedder: Embedder | None) -> Draft:
    """Set the relevance of every checkworthy claim; without a grader, return the draft as is."""
    claims = [claim for claim in draft.claims if is_checkworthy(claim)]
    if grader is None or not claims:
        return draft
    question, texts = draft.question.text, titled(claims, draft.evidence)
    pairs = [QueryPassagePair(question, text) for text in texts]
    try:
        grades, similarities = await together(
            grade(grader, "relevance", pairs), cosine_similarities(question, texts, embedder)
        )
    except BudgetExceededError:
        return draft  # the run itself reports the exceeded budget
    except ModelError as error:
        current_run().degrade("the relevance of claims is not known", error)
        return draft
    scores = dict(zip(claims, map(probability, grades, similarities), strict=True))
    return replace(
        draft, claims=tuple(replace(each, relevance=scores.get(each)) for each in draft.claims)
    )


def probability(grade: float, similarity: float | None) -> float:
    """Combine grade and cosine similarity; without an embedder, return the grade."""
    if similarity is None:
        return grade
    return sigmoid(GRADE * grade_logit(grade) + SIMILARITY * similarity + SHIFT)


async def cosine_similarities(
    question: str, texts: Sequence[str], embedder: Embedder | None
) -> Sequence[float | None]:
    """Return the cosine of each text with the question; None for each if there is no embedder."""
    if embedder is None:
        return [None] * len(texts)
    try:
        asked, *said = await embed(embedder, [question, *texts])
    except ModelError as error:
        current_run().degrade("the embedder failed, relevance is by grades alone", error)
        return [None] * len(texts)
    return [float(each @ asked) for each in said]


def titled(claims: Sequence[Claim], evidence: Evidence) -> list[str]:
    """Prefix claims with title and headings of their first citation, as in grader training."""
    passages = located(evidence.passages)
    cited = [
        next((passages[c.passage_id] for c in claim.citations if c.passage_id in passages), None)
        for claim in claims
    ]
    return [
        replace(passage, text=claim.text).searchable if passage else claim.text
        for claim, passage in zip(claims, cited, strict=True)
    ]
