"""Words and signs of a sentence with their distance from each other, and which are negated.

Two words are further apart if a comma, "and" or the end of a clause stands between them, because
what is told of one is then not told of the other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from upheld.text.patterns import matches

_TOKEN = re.compile(r"\d++(?:[.,:]\d++)*+(?!\w)|\w++(?:['’]\w{1,3}+)?+|[^\w\s]")
_STEPS = {",": 5, ";": 8, ":": 4, ".": 12, "!": 12, "?": 12, "|": 3, "—": 4, "–": 3, "(": 3, ")": 3}
_STEPS |= {"and": 4, "or": 4, "but": 5, "while": 4, "whereas": 4}
_ENDS_CLAUSE = frozenset(
    re.findall(
        r"\S+", ", ; : . ! ? | — – ( ) but although though while whereas because unless except if"
    )
)
_ALWAYS_NEGATES = frozenset(re.findall(r"\S+", "never cannot neither nobody none nothing nowhere"))
_AFTER_IT_ONLY = frozenset(re.findall(r"\S+", "without except excluding"))
_PHRASES = {("rather", "than"), ("instead", "of"), ("apart", "from"), ("other", "than")}
_BOUND_WORDS = frozenset(
    re.findall(r"\S+", "more fewer less later earlier longer greater higher lower only")
)
_JOINS = frozenset(("and", "or", "but"))


@dataclass(frozen=True, slots=True)
class Token:
    """One word, number or sign."""

    text: str
    lower: str
    at: int  # where it stands; grows with words and more with commas and ends of clauses
    negated: bool

    @property
    def is_word(self) -> bool:
        """Whether it is a word or a number, not a sign."""
        return self.text[0].isalnum() or self.text[0] == "_"


def tokens(text: str) -> list[Token]:
    """Return the words and signs of a sentence, in order."""
    found = [match[0] for match in matches(_TOKEN, text)]
    lower = [word.lower().replace("’", "'") for word in found]
    negated = _negated(lower)
    at, result = 0, list[Token]()
    for place, word in enumerate(lower):
        at += _STEPS.get(word, 1)
        plain = word.removesuffix("'s")
        result.append(Token(found[place], plain, at, negated[place]))
    return result


def _negated(words: list[str]) -> list[bool]:
    """Return for each word whether an odd number of negations apply to it."""
    starts, ends = _clauses(words)
    flips = [0] * (len(words) + 1)  # where negation begins or ends
    for place, word in enumerate(words):
        first = _reach(words, place, word, starts[place])
        if first is not None:
            flips[first] ^= 1
            flips[ends[place]] ^= 1
    state, found = 0, list[bool]()
    for flip in flips[:-1]:
        state ^= flip
        found.append(bool(state))
    return found


def _reach(words: list[str], place: int, word: str, start: int) -> int | None:
    """Return the first word that a negation at this place applies to, or None if it is none."""
    following = words[place + 1] if place + 1 < len(words) else ""
    if word in _AFTER_IT_ONLY or (word, following) in _PHRASES:
        return place
    if word.endswith("n't") or word in _ALWAYS_NEGATES:
        return start
    if word not in ("not", "no") or (following in _BOUND_WORDS and words[place + 2 :][:1] != ["."]):
        return start if (word, following) == ("no", "longer") else None
    # "not by the house", "has no key": only what follows; "is not allowed": the whole clause.
    before = words[place - 1] if place > start else ""
    if word == "no":
        return start if place == start else place
    return place if (place == start and place) or before in _JOINS else start


def _clauses(words: list[str]) -> tuple[list[int], list[int]]:
    """Return the first and the last place (exclusive) of the clause of each word."""
    starts, ends = list[int](), [0] * len(words)
    start = 0
    for place, word in enumerate(words):
        if word in _ENDS_CLAUSE:
            start = place + 1 if not word[0].isalpha() else place
        starts.append(start)
    end = len(words)
    for place in range(len(words) - 1, -1, -1):
        ends[place] = end
        if words[place] in _ENDS_CLAUSE:
            end = place
    return starts, ends
