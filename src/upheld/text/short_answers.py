"""Short answers, and the sentence that each of them stands for: "Yes: The tower opens at nine.".

A few words by themselves cannot be verified. A sentence can, and the rules here say whether the
words and the sentence say the same. They are strict: a short answer that is left out costs a call,
while a wrong one would borrow the support of its sentence.
"""

from __future__ import annotations

import re

from upheld.text import figures, names
from upheld.text.patterns import search
from upheld.text.words import content_stems, words

_NEGATION = re.compile(
    r"\b(?:no|not|none|nobody|nothing|nowhere|neither|nor|never|cannot|without)\b|n['’]t\b",
    re.IGNORECASE,
)
_YES, _NO = ["yes"], ["no"]
_LONGEST = 100  # characters of a short answer
_MOST_MISSING = 1  # a verb may change its stem: "Did she write it?", "She wrote it."


def is_negated(text: str) -> bool:
    """Return whether a text has a word of negation."""
    return search(_NEGATION, text) is not None


def is_yes_or_no(answer: str) -> bool:
    """Return whether a short answer is yes or no."""
    return words(answer) in (_YES, _NO)


def with_sentence(answer: str, sentence: str) -> str:
    """Return a short answer with the sentence that it stands for, as one claim."""
    return f"{answer}: {sentence}"


def sentence_alone(text: str) -> str:
    """Return the sentence without a short answer before it that says the same.

    "1881: It opened in 1881." becomes "It opened in 1881.". "No: It opened in 1881." stays as it
    is, because its two parts do not say the same.
    """
    answer, colon, sentence = text.partition(": ")
    return sentence if colon and agree(answer, sentence) else text


def is_short(text: str) -> bool:
    """Return whether a short answer comes before the sentence."""
    return sentence_alone(text) != text


def agree(answer: str, sentence: str) -> bool:
    """Return whether a sentence has the words of a short answer, or is as negative as yes or no."""
    if len(answer) > _LONGEST:
        return False
    told, said = words(answer), words(sentence)
    if not told or not said:
        return False
    if told in (_YES, _NO):
        return is_negated(sentence) == (told == _NO)
    if is_negated(sentence) and not is_negated(answer):
        return False  # "not safe" has the word, and denies it
    return any(said[at : at + len(told)] == told for at in range(len(said) - len(told) + 1))


def restates(question: str, sentence: str) -> bool:
    """Return whether a sentence affirms or denies just what a yes-or-no question asks.

    It must have the question's figures, names and other words. What "no" means as the answer to a
    negative question is not clear, so there is none.
    """
    missing = content_stems(question) - content_stems(sentence)
    return (
        not is_negated(question)
        and len(missing) <= _MOST_MISSING
        and not figures.absent(question, figures.values(sentence))
        and not names.absent(question, names.given(sentence))
    )
