"""Damaged questions: incomplete or misspelt, so that a search does not find what they ask for."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from upheld.text.words import FUNCTION_WORDS

_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_SHORT = 4  # letters: shorter words are not misspelt


def damage(question: str, dice: random.Random) -> str:
    """The question damaged in one way, by lot; it never has the same words as before."""
    ways: list[Callable[[str, random.Random], str]] = [cut_off, without_names, misspelt, vague]
    dice.shuffle(ways)
    for way in ways:
        spoilt = " ".join(way(question, dice).split())
        if _WORD.findall(spoilt) not in ([], _WORD.findall(question)):
            return spoilt
    return "What is it?"


def cut_off(question: str, dice: random.Random) -> str:
    """The beginning of the question."""
    words = question.rstrip("?").split()
    return " ".join(words[: max(2, dice.randint(len(words) // 3, max(2, len(words) // 2)))])


def without_names(question: str, _: random.Random) -> str:
    """The question without names and figures, or without its last words if it has none."""
    words = question.rstrip("?").split()
    plain = [each for each in words[1:] if each.islower()]
    if len(plain) == len(words) - 1:
        plain = plain[: max(1, len(plain) // 2)]
    return " ".join([*words[:1], *plain]) + "?"


def misspelt(question: str, dice: random.Random) -> str:
    """Every longer word with two letters swapped."""

    def swap(match: re.Match[str]) -> str:
        word = match.group()
        if len(word) < _SHORT or word.casefold() in FUNCTION_WORDS:
            return word
        at = dice.randrange(1, len(word) - 2)
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]

    return _WORD.sub(swap, question)


def vague(question: str, dice: random.Random) -> str:
    """One or two words of it that carry meaning."""
    telling = [each for each in _WORD.findall(question) if each.casefold() not in FUNCTION_WORDS]
    return " ".join(dice.sample(telling, min(len(telling), dice.randint(1, 2))))
