"""Scores of an answer's words against the wordings that people noted; no model has a say.

All texts are compared by `bench.metrics.normalise`: lower case, no punctuation, no articles.
SQuAD's own script deletes punctuation where ours parts words by it: "U.S." is "u s", not "us".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from upheld.text.sentences import sentences
from upheld_lab.bench.metrics import answer_in, normalise

_MOST_WANTED = 5  # items of a list that QAMPARI expects anybody to find

# "No." before a figure is a number, and "no evidence" begins a sentence that answers nothing.
_ENDS = (
    r"(?!\.\s*\d)(?=[\"”'’]?\s*(?:[,.;:!–—]|-\s|$)|\s+(?:it|he|she|they|there|this|that|i|we)\b)"
)
_FIRST = re.compile(rf"^[\W_]*(yes|no){_ENDS}", re.IGNORECASE)
_TOLD = re.compile(rf"\banswer is:?\s+[\"“'‘]?(yes|no){_ENDS}", re.IGNORECASE)


def accuracy(text: str, answers: Iterable[str]) -> bool:
    """Whether a wording of the answer stands in the text as whole words (CoV-RAG, section 3)."""
    return answer_in(text, answers)


def exact_match(text: str, answers: Iterable[str]) -> bool:
    """Whether the text is a wording of the answer and nothing more."""
    return normalise(text) in {normalise(answer) for answer in answers}


def token_f1(text: str, answers: Iterable[str]) -> float:
    """SQuAD's: the harmonic mean over shared tokens, for the closest wording."""
    return max(
        (_f1(normalise(text).split(), normalise(each).split()) for each in answers), default=0
    )


def str_em(text: str, parts: Sequence[Sequence[str]]) -> float:
    """STR-EM recall (ASQA): the share of parts of which a wording stands in the text."""
    return sum(answer_in(text, wordings) for wordings in parts) / len(parts) if parts else 0.0


def list_recall5(items: Sequence[str], parts: Sequence[Sequence[str]]) -> float:
    """QAMPARI's recall-5: five wanted items are enough, where so many are wanted.

    Our items are sentences as often as names: one is right if it contains a wanted wording, where
    the published script wants it to be one.
    """
    found = sum(any(answer_in(item, wordings) for item in items) for wordings in parts)
    return min(found, _MOST_WANTED) / min(len(parts), _MOST_WANTED) if parts else 0.0


def list_precision(items: Sequence[str], parts: Sequence[Sequence[str]]) -> float:
    """The share of items that contain a wanted wording."""
    wanted = [wording for wordings in parts for wording in wordings]
    return sum(answer_in(item, wanted) for item in items) / len(items) if items else 0.0


def says_yes(text: str) -> bool | None:
    """What a text answers to a yes/no question; None if it says neither, or both.

    Only the word itself counts: a reader may conclude it from more, but not this function.
    """
    said = {
        found[1].casefold()
        for sentence in sentences(text)
        if (found := _FIRST.search(sentence) or _TOLD.search(sentence))
    }
    return None if len(said) != 1 else said == {"yes"}


def says_falsehood(text: str, false_answers: Iterable[str]) -> bool:
    """Whether a false answer stands in the text as whole words."""
    return answer_in(text, false_answers)


def _f1(said: Sequence[str], wanted: Sequence[str]) -> float:
    if not said or not wanted:
        return float(said == wanted)
    shared = (Counter(said) & Counter(wanted)).total()
    return 2 * shared / (len(said) + len(wanted))
