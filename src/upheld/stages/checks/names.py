"""Names in text: capitalised words that are not there because a sentence begins."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from upheld.words import FUNCTION_WORDS, words

_TOKEN = re.compile(r"[^\W_]+(?:[.&'’-][^\W_]+)*")
_STARTS = re.compile(r"(?:^|[.!?:…]|[\"“‘(\[—])\s*$")
_ACRONYM = re.compile(r"(?:[A-Z]\.?){2,6}(?:s|['’]s)?")
_LONG_ACRONYM = 3
_MONTHS_AND_DAYS = frozenset(
    words(
        """january february march april may june july august september october november december
        monday tuesday wednesday thursday friday saturday sunday"""
    )
)
# Words that open a sentence right before a name.
_OPENERS = frozenset(
    words(
        """according additionally although along among another around besides beyond despite either
        even every following former furthermore given hence however inside instead later like
        meanwhile moreover near neither nevertheless once one outside regarding several since
        sometimes still thanks therefore though throughout thus today together toward towards two
        unlike upon via whether whereas within without yet"""
    )
)
# Nations whose people are called by another word.
_PEOPLES = {
    "french": "france", "spanish": "spain", "dutch": "netherlands", "british": "britain",
    "english": "england", "welsh": "wales", "irish": "ireland", "scottish": "scotland",
    "danish": "denmark", "swedish": "sweden", "polish": "poland", "turkish": "turkey",
    "finnish": "finland", "greek": "greece", "swiss": "switzerland", "thai": "thailand",
    "norwegian": "norway", "portuguese": "portugal", "american": "america", "us": "america",
}  # fmt: skip
_COUNTRIES = {country: people for people, country in _PEOPLES.items()}
_COMMON_SHORT_FORMS = frozenset({"tv", "ad", "bc", "ce", "bce", "ok", "mr", "mrs", "ms", "dr"})
_SHORTEST_STEM = 4
_LONGEST_ENDING = 3


@dataclass(frozen=True, slots=True)
class Name:
    """A word of a name, with the initials of the run of capitalised words it stands in."""

    text: str
    initials: str = ""


@lru_cache(maxsize=4096)
def names(text: str) -> tuple[Name, ...]:
    """Words of names that a claim gives.

    A single capitalised word that opens a sentence may be any word, and is let go; a text that
    is in capitals throughout tells nothing about names.
    """
    tokens = list(_TOKEN.finditer(text))
    capital = [_capital(token[0]) for token in tokens]
    if len(tokens) > 4 and sum(capital) > 0.8 * len(tokens):  # a title, not prose
        return ()
    found: list[Name] = []
    for place, token in enumerate(tokens):
        word = token[0].casefold()
        if not capital[place] or word in _MONTHS_AND_DAYS:
            continue
        if _STARTS.search(text[: token.start()]) and not (
            word not in _OPENERS and _followed(text, tokens, capital, place)
        ):
            continue
        found.append(Name(token[0], _initials(text, tokens, capital, place)))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Names:
    """The words of a premise, ready to be asked for names."""

    words: frozenset[str]
    initials: frozenset[str]
    sequence: str  # the initials of all words in a row

    @classmethod
    def of(cls, text: str) -> Names:
        tokens = list(_TOKEN.finditer(text))
        told = set(words(text))
        told |= {_bare(token[0]) for token in tokens}
        capital = [_capital(token[0]) for token in tokens]
        runs = {_initials(text, tokens, capital, at) for at, is_ in enumerate(capital) if is_}
        # Any two or more initials in a row may be how the short form is made.
        parts = {run[i:j] for run in runs for i in range(len(run)) for j in range(i + 2, i + 7)}
        row = "".join(token[0][0] for token in tokens).casefold()
        return cls(frozenset(told), frozenset(parts), row)

    def __or__(self, other: Names) -> Names:
        return Names(
            self.words | other.words,
            self.initials | other.initials,
            f"{self.sequence} {other.sequence}",
        )

    def has(self, name: Name) -> bool:
        whole = _bare(name.text)
        if whole in self.words or (_ACRONYM.fullmatch(name.text) and self._spells(whole)):
            return True
        if len(name.initials) > 1 and name.initials in self.words:
            return True  # "United Nations" where the premise says UN
        # Of "Sf1-expressing" only the first part is a name.
        parts = re.sub(r"['’]s$", "", name.text).split("-")
        named = [word for part in parts if part[:1].isupper() for word in words(part)]
        return all(self._has_word(word) for word in named)

    def _spells(self, acronym: str) -> bool:
        """Initials of a name; or, from three letters on, of any words in a row."""
        letters = acronym.removesuffix("s") if len(acronym) >= _LONG_ACRONYM else acronym
        return {acronym, letters} & self.initials != set() or (
            len(letters) >= _LONG_ACRONYM and letters in self.sequence
        )

    def _has_word(self, word: str) -> bool:
        if word in self.words or len(word) == 1:
            return True
        kin = _PEOPLES.get(word) or _COUNTRIES.get(word)
        if kin in self.words:
            return True
        return any(_same_stem(word, other) for other in self.words)


def absent(claim: str, given: Names) -> tuple[str, ...]:
    """Names of the claim that the premise does not have."""
    return tuple(dict.fromkeys(name.text for name in names(claim) if not given.has(name)))


def _capital(word: str) -> bool:
    """Capitalised, and no "The" or "I'll": but WHO is a name."""
    plain = re.split("['’]", word.casefold())[0]
    if plain in FUNCTION_WORDS:
        return len(word) > 1 and word.isupper()
    return word[0].isupper() and plain not in _COMMON_SHORT_FORMS


def _bare(word: str) -> str:
    return re.sub(r"['’]s$", "", word).replace(".", "").casefold()


def _same_stem(one: str, other: str) -> bool:
    """Germany and German, Italy and Italian; not Maria and Marie."""
    apart = abs(len(one) - len(other))
    if not 0 < apart <= _LONGEST_ENDING:
        return False
    least = max(_SHORTEST_STEM, min(len(one), len(other)) - 1)
    return one[:least] == other[:least]


def _followed(text: str, tokens: list[re.Match[str]], capital: list[bool], place: int) -> bool:
    """Whether a capitalised word comes right after this one, as in a name of two words.

    An acronym or a code does not make a name of the word before it: "Employ CBT", "Reducing H2".
    """
    if place + 1 == len(tokens) or not capital[place + 1]:
        return False
    if not tokens[place + 1][0][1:].islower():
        return False
    return text[tokens[place].end() : tokens[place + 1].start()] == " "


def _initials(text: str, tokens: list[re.Match[str]], capital: list[bool], place: int) -> str:
    """Initials of the run of capitalised words around a place, small words inside left out."""
    first = last = place
    while (before := _neighbour(text, tokens, capital, first, -1)) is not None:
        first = before
    while (after := _neighbour(text, tokens, capital, last, 1)) is not None:
        last = after
    return "".join(tokens[at][0][0] for at in range(first, last + 1) if capital[at]).casefold()


def _neighbour(
    text: str, tokens: list[re.Match[str]], capital: list[bool], place: int, step: int
) -> int | None:
    for far in (step, 2 * step):
        at = place + far
        if not 0 <= at < len(tokens):
            return None
        low, high = min(place, at), max(place, at)
        between = text[tokens[low].end() : tokens[low + 1].start()].strip()
        if between not in ("", "-") and not (between == "." and len(tokens[low][0]) == 1):
            return None
        if capital[at]:
            inside = range(low + 1, high)
            return at if all(tokens[i][0] in ("of", "the", "and", "for") for i in inside) else None
    return None
