"""Gold citation scores: cited passages against those that people marked; no model has a say."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from upheld.types import Answer, Claim
from upheld_lab.bench.scores.precision_recall import PrecisionRecall, precision_recall
from upheld_lab.bench.scores.shown import shown_claims


def cited(claims: Iterable[Claim], gold: AbstractSet[str]) -> frozenset[str]:
    """What the claims cite, as gold names it: passages, or documents.

    A strip of a passage has an id of its own; what it was cut from is named by its document.
    """
    return frozenset(
        each.passage_id if each.passage_id in gold else each.document_id
        for claim in claims
        for each in claim.citations
    )


def gold_citations(answer: Answer, method: str, gold: AbstractSet[str]) -> PrecisionRecall:
    """What the shown claims of an answer cite against what people marked; no answer has 0."""
    found = cited(shown_claims(answer, method), gold)
    return precision_recall(len(found & gold), len(found), len(gold))
