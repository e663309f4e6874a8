"""The scores of one answer by what people noted about its question; no model has a say.

All are of what is shown without a warning; of an answer that shows nothing they are 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from upheld.text.short_answers import is_short
from upheld.types import Answer, Claim, Status
from upheld_lab.bench.runs.records import Scores
from upheld_lab.bench.scores import words
from upheld_lab.bench.scores.gold_text import contains_gold, gold_text_scores
from upheld_lab.bench.scores.precision_recall import PrecisionRecall, precision_recall
from upheld_lab.bench.scores.shown import confidence, is_shown, shown_claims, text_of, told_claims
from upheld_lab.bench.suites.suite import Asked


def cited(claims: Iterable[Claim], gold: AbstractSet[str]) -> frozenset[str]:
    """What the claims cite, as gold names it: passages, or documents.

    A strip of a passage has an id of its own; what it was cut from is named by its document.
    """
    return frozenset(
        each.passage_id if each.passage_id in gold else each.document_id
        for claim in claims
        for each in claim.citations
    )


def gold_citations(answer: Answer, variant: str, gold: AbstractSet[str]) -> PrecisionRecall:
    """What the shown claims of an answer cite against what people marked; no answer has 0."""
    found = cited(shown_claims(answer, variant), gold)
    return precision_recall(len(found & gold), len(found), len(gold))


_LOOKED_AT = 20  # passages of the plain search


def shown_scores(asked: Asked, answer: Answer, variant: str) -> Scores:
    """What is shown, how surely, and whether it should be."""
    shown, failed = is_shown(answer, variant), answer.status is Status.FAILED
    wrong = is_wrong(asked, text_of(told_claims(answer, variant)))
    known = asked.answerable is not None or wrong is not None
    return {
        "answered": float(bool(answer.claims) and not failed),
        "shown": float(shown),
        "confidence": confidence(answer, variant),
        "wrong": None if wrong is None else float(shown and wrong),
        "wrong_if_shown": None if wrong is None else float(wrong),
        # To break down is not to abstain, nor is a doubtful answer an abstention.
        "abstained": float(not shown and not answer.doubtful and not failed),
        "should_abstain": float(asked.answerable is False) if known else None,
        "conflict": float(bool(answer.conflicts)),
        "doubtful": float(answer.doubtful),
    }


def word_scores(asked: Asked, answer: Answer, variant: str) -> Scores:
    """What is shown against the wordings of the answer, of its parts, and of false answers."""
    claims = shown_claims(answer, variant)
    text, items = text_of(claims), [claim.text for claim in claims]
    unwarned = text if is_shown(answer, variant) else ""
    answers = asked.answers if asked.answerable is not False else ()
    parts, false, yes = asked.parts, asked.false_answers, asked.yes
    return {
        "correct": _correct(asked, text),
        "answer_words": float(len(text.split())) if claims else None,
        **gold_text_scores(text, asked.gold_text),
        "em": float(words.exact_match(text, answers)) if answers else None,
        "f1": words.token_f1(text, answers) if answers else None,
        "short_f1": words.token_f1(_in_short(items), answers) if answers else None,
        "str_em": words.str_em(text, parts) if parts else None,
        "list_precision": words.list_precision(items, parts) if parts else None,
        "list_recall5": words.list_recall5(items, parts) if parts else None,
        "yes_right": None if yes is None else float(words.says_yes(text) is yes),
        "falsehood": float(words.says_falsehood(unwarned, false)) if false else None,
    }


def _in_short(items: Sequence[str]) -> str:
    """The few words before the first sentence; the whole text if there are none."""
    if items and is_short(items[0]):
        return items[0].partition(": ")[0]
    return " ".join(items)


def _correct(asked: Asked, text: str) -> float | None:
    """Whether the answer stands in a text; None for a question without wordings of it."""
    if asked.gold_text is not None:
        return float(contains_gold(text, asked.gold_text))
    # A sentence can have the word "no" in it without answering a question by it.
    if not asked.answers or asked.answerable is False or asked.yes is not None:
        return None
    return float(words.accuracy(text, asked.answers))


def gold_scores(asked: Asked, answer: Answer, variant: str, found: Sequence[str]) -> Scores:
    """Citations and the plain search against the gold passages."""
    names = ("gold_precision", "gold_recall", "gold_f1", "gold_in_top20")
    if not asked.gold:
        return dict.fromkeys(names)
    cited = gold_citations(answer, variant, asked.gold)
    there = not asked.gold.isdisjoint(found[:_LOOKED_AT])
    return dict(zip(names, (cited.precision, cited.recall, cited.f1, float(there)), strict=True))


def is_wrong(asked: Asked, text: str) -> bool | None:
    """Whether this would be wrong to show; None where nobody knows."""
    if asked.answerable is False:
        return True
    if asked.gold_text is not None:
        return not contains_gold(text, asked.gold_text)
    if asked.yes is not None:
        return words.says_yes(text) is not asked.yes
    if asked.answers:
        return not words.accuracy(text, asked.answers)
    return words.str_em(text, asked.parts) == 0 if asked.parts else None
