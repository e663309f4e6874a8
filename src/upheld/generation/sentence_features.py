"""What is known of a sentence before it is quoted: the features of the sentence chooser.

How good the grader, the embedder and the search find it and its passage, shared words, and whether
it has the kind of answer that is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from upheld._internal.probability import grade_logit
from upheld.generation.candidates import Candidate, shared_words
from upheld.text.answer_kinds import asked_kind, asks_for_default, has_kind, tells_default
from upheld.types import Hit


@dataclass(frozen=True, slots=True)
class SentenceFeatures:
    """Features of one candidate; the weights of the chooser have the same names."""

    grade: float  # log odds of the grader, for the sentence with title and headings
    cosine: float
    passage: float  # log odds of the grader for the whole passage
    search: float  # search score of the passage, as a share of the best
    words: float  # share of the question's words that it has
    kind: float  # 1: has what is asked for, -1: has not, 0: nothing definite is asked for
    default: float  # 1: tells a default that is asked for, -1: does not, 0: none is asked for
    colon: float  # 1 if it only announces what follows

    def named(self) -> dict[str, float]:
        """The features by their names."""
        return asdict(self)


def sentence_features(
    question: str,
    hits: Sequence[Hit],
    of_passages: Sequence[float],
    candidates: Sequence[Candidate],
    grades: Sequence[float],
    cosines: Sequence[float],
) -> list[SentenceFeatures]:
    """Return the features of all candidates.

    Grades are probabilities: `of_passages` one for each hit, the others one for each candidate.
    """
    scores = {hit.passage.id: hit.score for hit in hits}
    most = max(scores.values(), default=0.0) or 1.0
    passages = {
        hit.passage.id: grade_logit(each) for hit, each in zip(hits, of_passages, strict=True)
    }
    kind, default = asked_kind(question), asks_for_default(question)
    shared = shared_words(question, candidates)
    return [
        SentenceFeatures(
            grade=grade_logit(grades[i]),
            cosine=cosines[i],
            passage=passages[each.passage.id],
            search=scores[each.passage.id] / most,
            words=shared[i],
            kind=0.0 if kind is None else 1.0 if has_kind(each.text, kind) else -1.0,
            default=0.0 if not default else 1.0 if tells_default(each.text) else -1.0,
            colon=float(each.text.rstrip("*_ ").endswith(":")),
        )
        for i, each in enumerate(candidates)
    ]
