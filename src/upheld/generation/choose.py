"""Choose the sentences to quote, and estimate the probability that they answer the question.

A fit over the features of a sentence says which one most probably answers. It comes first; the next
two follow, those of its passage before others. Whether the answer is right depends on more than its
best sentence: questions that nothing answers find sentences that look like an answer, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from upheld._internal.probability import sigmoid
from upheld.generation.candidates import Candidate
from upheld.generation.sentence_features import SentenceFeatures
from upheld.text.sentences import block_spans

Weights = Mapping[str, float]

# Fitted on dev questions by `python -m upheld_lab.fits sentences`:
# docs/decisions/030-choosing-the-sentence.md, 037-a-grader-for-manuals.md
# The grader and the embedder whose scores these are the weights of.
FITTED_FOR = ("upheld-grader-int8:4f1ecd92c797", "all-MiniLM-L6-v2-int8:5a3026c819c7")
# Of features that compare the sentences of one question.
SENTENCE: Weights = {
    "grade": 0.6718,
    "cosine": 2.1846,
    "passage": 0.4486,
    "search": 5.807,
    "words": 1.7263,
    "kind": 0.9088,
    "default": 2.1676,
    "colon": -1.8218,
}
# Of features of the best sentence, for the probability that the answer is right.
RIGHT: Weights = {
    "best": 0.1467,
    "margin": 0.3061,
    "cosine": 2.781,
    "grade": 0.1964,
    "shift": -3.6416,
}
MEDIAN_MARGIN = 1.2  # log odds by which the best sentence leads, in half of the answers of the fit
KEEP_WITHIN = 1.5  # log odds below the best sentence; worse ones are not quoted after it
ABSTAIN_BELOW = 0.25  # P(right) below which nothing is shown


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its features; sentences of one question compare by their log odds."""

    candidate: Candidate
    features: SentenceFeatures

    @property
    def log_odds(self) -> float:
        """The candidate's score."""
        return self.candidate.score


def rank_sentences(
    candidates: Sequence[Candidate],
    features: Sequence[SentenceFeatures],
    weights: Weights = SENTENCE,
) -> list[Ranked]:
    """Return the candidates with the most probable first."""
    ranked = [
        Ranked(replace(candidate, score=weighted(known.named(), weights)), known)
        for candidate, known in zip(candidates, features, strict=True)
    ]
    return sorted(ranked, key=lambda each: -each.log_odds)


def weighted(features: Mapping[str, float], weights: Weights) -> float:
    """Return the sum of the features that have a weight, and of the shift, if there is one."""
    return weights.get("shift", 0.0) + sum(
        weights[name] * value for name, value in features.items() if name in weights
    )


def pick_sentences(ranked: Sequence[Ranked], most: int) -> list[Candidate]:
    """Return the best sentence, then those that are nearly as good, `most` altogether.

    The beginning of its paragraph or list item says what the best one is about, and always follows.
    Those of one passage stand together, in their order. What repeats another one, or is part of
    it, is left out.
    """
    best = ranked[0].candidate
    picked = [best]
    opening = _opening(best)
    needed = [each for each in ranked[1:] if _begins_at(each.candidate, best, opening)]
    near = [each for each in ranked[1:] if each.log_odds >= ranked[0].log_odds - KEEP_WITHIN]
    for each in (other.candidate for other in (*needed, *near)):
        if len(picked) < most and not any(_repeats(each, one) for one in picked):
            picked.append(each)
    first = {each.passage.id: i for i, each in reversed(list(enumerate(picked)))}
    rest = sorted(picked[1:], key=lambda each: (first[each.passage.id], each.start))
    return [best, *rest]


def _opening(candidate: Candidate) -> int:
    """Return where the paragraph or list item begins that a sentence stands in."""
    starts = (start for start, _ in block_spans(candidate.passage.text))
    return max((start for start in starts if start <= candidate.start), default=0)


def _begins_at(one: Candidate, other: Candidate, start: int) -> bool:
    return one.passage.id == other.passage.id and one.start == start


def _repeats(one: Candidate, other: Candidate) -> bool:
    if one.passage.id == other.passage.id:
        return one.start < other.end and other.start < one.end
    return one.text.split() == other.text.split()


def right_features(ranked: Sequence[Ranked]) -> dict[str, float]:
    """Return the features of the probability that the answer is right.

    `margin` is how much better the best sentence is than the best one of another passage. If there
    is no other, nothing is known of it, and it is taken to be as in most answers.
    """
    best = ranked[0]
    passage = best.candidate.passage.id
    others = (each.log_odds for each in ranked if each.candidate.passage.id != passage)
    return {
        "best": best.log_odds,
        "margin": best.log_odds - next(others, best.log_odds - MEDIAN_MARGIN),
        "cosine": best.features.cosine,
        "grade": best.features.grade,
    }


def p_right(features: Mapping[str, float], weights: Weights = RIGHT) -> float:
    """Return the calibrated probability that the answer is right."""
    return sigmoid(weighted(features, weights))
