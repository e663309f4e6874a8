"""The chain of a draft, by construction and by gold: no model judges.

reference_correctness   a gold passage is shown
correctness             a wording of the answer stands in the draft
citation_accuracy       F1 of the cited numbers against those of the gold passages
truthfulness            known from how the draft was made
bias                    1 - F1 to the right answer, 1 without a wording of it: a departure from
                        the paper, whose judge compares with the answer that it would give itself
conciseness             share of words that repeat nothing, less for long drafts
judgment                "true" if all of these are good, "unclear" for an empty list where
                        nothing that is shown answers, else "false"
revised_question        the undamaged question, where only that finds the gold passage
"""

from __future__ import annotations

from upheld.verification.chain import Chain, Direct, Judgment
from upheld_lab.bench.metrics import answer_in, contains_quote
from upheld_lab.bench.scores.words import token_f1
from upheld_lab.training.cov_rag.drafts import (
    CONCISE,
    Shown,
    Written,
    conciseness,
    right_texts,
)

_GOOD = 0.5  # what a score must reach for the judgment "true"


def chain_of(made: Written) -> Chain:
    """The scores, the judgment and the revised question that a checker should give."""
    shown = made.shown
    correct = float(answer_in(made.text, shown.question.answers))
    cited = citation_accuracy(made)
    concise = conciseness(made.text)
    good = min(correct, cited, made.truthful) >= _GOOD and concise >= CONCISE
    if made.claims or shown.gold:
        judgment = Judgment.TRUE if good else Judgment.FALSE
    else:
        judgment = Judgment.UNCLEAR
    return Chain(
        reference_correctness=float(bool(shown.gold)),
        correctness=correct,
        citation_accuracy=round(cited, 2),
        truthfulness=round(made.truthful, 2),
        bias=round(bias(made), 2),
        conciseness=round(concise, 2),
        judgment=judgment,
        revised_question=made.revised,
    )


def direct_of(made: Written) -> Direct:
    """The revised question alone: the ablation without the chain."""
    return Direct(revised_question=made.revised)


def citation_accuracy(made: Written) -> float:
    """F1 of the cited numbers against the gold ones; 1 where there is nothing to cite."""
    marks = {number for each in made.claims for number in each.sources}
    gold = set(made.shown.gold)
    if not marks and not gold:
        return 1.0
    return 2 * len(marks & gold) / (len(marks) + len(gold))


def bias(made: Written) -> float:
    """How far the words are from the right answer's; an empty list is right without an answer.

    With one name changed, a sentence has nearly all words of the right one: it is as far as can be.
    """
    wordings = _right_wordings(made.shown)
    if not wordings:
        return float(bool(made.claims))
    if not answer_in(made.text, made.shown.question.answers):
        return 1.0
    return 1 - token_f1(made.text, wordings)


def truthfulness(made: Written) -> float:
    """For answers of a model: the share of claims with the answer, or word by word in a passage."""
    if not made.claims:
        return 1.0
    passages = [each.text for each in made.shown.passages]
    true = [
        answer_in(each.text, made.shown.question.answers)
        or any(contains_quote(text, each.text) for text in passages)
        for each in made.claims
    ]
    return sum(true) / len(true)


def _right_wordings(shown: Shown) -> list[str]:
    if not shown.question.answers:
        return []
    return [text for _, text in right_texts(shown)] or list(shown.question.answers)
