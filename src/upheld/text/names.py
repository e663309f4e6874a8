"""Find names in text: capitalised words, except those that only open a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import or_

from upheld._internal.cache import cached_in_run
from upheld.text.patterns import matches
from upheld.text.quantities import UNITS
from upheld.text.words import FUNCTION_WORDS, words

_TOKEN = re.compile(r"[^\W_]+(?:[.&'’-][^\W_]+)*")
_BEFORE_A_START = frozenset('.!?:…"“‘([—')
_ACRONYM = re.compile(r"(?:[A-Z]\.?){2,6}(?:s|['’]s)?")
_LONGEST_ACRONYM = 6
_LONGEST_NAME = 12  # words; a longer run is a title
_SMALL = ("of", "the", "and", "for", "de")  # words that may stand inside a name
_MOST_SMALL = 2  # in a row: Department of the Treasury
_MONTHS_AND_DAYS = frozenset(
    words(
        """january february march april may june july august september october november december
        monday tuesday wednesday thursday friday saturday sunday"""
    )
)
# Words that may open a sentence right before a name, and are no part of it.
_OPENERS = frozenset(
    words(
        """according additionally although along among another around besides beyond despite either
        even every following former furthermore given hence however inside instead later like
        meanwhile moreover near neither nevertheless once one outside regarding several since
        sometimes still thanks therefore though throughout thus today together toward towards two
        unlike upon via whether whereas within without yet"""
    )
)
# Adjectives of nations that do not share a stem with the country.
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
    """A word of a name, with the initials of the run of capitalised words that contains it."""

    text: str
    initials: str = ""


@cached_in_run(4096)
def names(text: str) -> tuple[Name, ...]:
    """Return the words of names in a claim.

    A single capitalised word that opens a sentence may be any word, so it is left out. If most
    words are capitalised, as in a title, none is returned.
    """
    tokens = list(matches(_TOKEN, text))
    capital = [_capital(token[0]) for token in tokens]
    if len(tokens) > 4 and sum(capital) > 0.8 * len(tokens):  # a title, not prose
        return ()
    initials: dict[int, str] = {}
    for run in _runs(text, tokens, capital):
        initials |= dict.fromkeys(run, _initials(tokens, [at for at in run if capital[at]]))
    found: list[Name] = []
    for place, token in enumerate(tokens):
        word = token[0].casefold()
        if not capital[place] or word in _MONTHS_AND_DAYS:
            continue
        if word in UNITS and place and tokens[place - 1][0][-1].isdigit():  # 128 MB
            continue
        if _opens_sentence(text, tokens, place) and not (
            word not in _OPENERS and _followed(text, tokens, capital, place)
        ):
            continue
        found.append(Name(token[0], initials[place]))
    return tuple(found)


@dataclass(frozen=True)
class Names:
    """The words and initials of a premise, to look up names of claims in."""

    words: frozenset[str]
    initials: frozenset[str]  # every sequence of 2 to 6 initials in runs of capitalised words

    @classmethod
    def of(cls, text: str) -> Names:
        tokens = list(matches(_TOKEN, text))
        told = set(words(text))
        told |= {_bare(token[0]) for token in tokens}
        capital = [_capital(token[0]) for token in tokens]
        rows: set[str] = set()
        for run in _runs(text, tokens, capital):
            # Words all in capitals are skipped: a line in capitals has no useful initials.
            spelt = [at for at in run if len(tokens[at][0]) == 1 or not tokens[at][0].isupper()]
            if len(run) <= _LONGEST_NAME:
                rows.update(_rows(_initials(tokens, spelt)))  # FOI: Freedom of Information
                rows.update(_rows(_initials(tokens, [at for at in spelt if capital[at]])))
        return cls(frozenset(told), frozenset(rows))

    def __or__(self, other: Names) -> Names:
        return Names(self.words | other.words, self.initials | other.initials)

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
        return not {acronym, acronym.removesuffix("s")}.isdisjoint(self.initials)

    def _has_word(self, word: str) -> bool:
        if word in self.words or len(word) == 1:
            return True
        kin = _PEOPLES.get(word) or _COUNTRIES.get(word)
        if kin in self.words:
            return True
        shorter, longer = self._stems
        return _as_shorter(word) in longer or not shorter.isdisjoint(_as_longer(word))

    @cached_property
    def _stems(self) -> tuple[set[tuple[int, str]], set[tuple[int, str]]]:
        """Keys for stem comparison, computed once because a claim may have many names."""
        longer = {stem for word in self.words for stem in _as_longer(word)}
        return {_as_shorter(word) for word in self.words}, longer


@cached_in_run(1_000)
def given(text: str) -> Names:
    """Return `Names.of(text)`, cached for the run, for short texts."""
    return Names.of(text)


def absent(claim: str, *given: Names) -> tuple[str, ...]:
    """Return the names of the claim that the premises together do not contain."""
    told = names(claim)
    if not told:
        return ()  # most claims have no names: skip the union of the premises
    known = reduce(or_, given)
    return tuple(dict.fromkeys(name.text for name in told if not known.has(name)))


def _capital(word: str) -> bool:
    """Whether a word is capitalised and no function word ("The", "I'll"); WHO counts as a name."""
    plain = re.split("['’]", word.casefold())[0]
    if plain in FUNCTION_WORDS:
        return len(word) > 1 and word.isupper()
    return word[0].isupper() and plain not in _COMMON_SHORT_FORMS


def _bare(word: str) -> str:
    return re.sub(r"['’]s$", "", word).replace(".", "").casefold()


def _as_shorter(word: str) -> tuple[int, str]:
    """Return the key that a word up to three letters longer must have to share a stem with this.

    The key is the length and all letters but the last, at least four. Germany and German share a
    stem, Italy and Italian too; Maria and Marie do not.
    """
    return len(word), word[: max(_SHORTEST_STEM, len(word) - 1)]


def _as_longer(word: str) -> Iterator[tuple[int, str]]:
    """Yield the keys of all shorter words that this word may share a stem with."""
    for length in range(len(word) - _LONGEST_ENDING, len(word)):
        yield length, word[: max(_SHORTEST_STEM, length - 1)]


def _opens_sentence(text: str, tokens: list[re.Match[str]], place: int) -> bool:
    between = text[tokens[place - 1].end() if place else 0 : tokens[place].start()].rstrip()
    return between[-1] in _BEFORE_A_START if between else place == 0


def _followed(text: str, tokens: list[re.Match[str]], capital: list[bool], place: int) -> bool:
    """Whether a capitalised word comes right after this one, as in a name of two words.

    An acronym or a code does not count: "Employ CBT", "Reducing H2".
    """
    if place + 1 == len(tokens) or not capital[place + 1]:
        return False
    if not tokens[place + 1][0][1:].islower():
        return False
    return text[tokens[place].end() : tokens[place + 1].start()] == " "


def _runs(text: str, tokens: list[re.Match[str]], capital: list[bool]) -> Iterator[range]:
    """Yield runs of capitalised words as ranges of token indexes, with small words inside them."""
    first = last = -1  # tokens of the current run
    for place, is_capital in enumerate(capital):
        if not is_capital:
            continue
        if last >= 0 and _goes_on(text, tokens, last, place):
            last = place
            continue
        if last >= 0:
            yield range(first, last + 1)
        first = last = place
    if last >= 0:
        yield range(first, last + 1)


def _goes_on(text: str, tokens: list[re.Match[str]], last: int, place: int) -> bool:
    """Whether the name that ends with token `last` continues at token `place`, on one line."""
    if place - last - 1 > _MOST_SMALL:
        return False
    if any(tokens[at][0] not in _SMALL for at in range(last + 1, place)):
        return False
    for at in range(last, place):
        between = text[tokens[at].end() : tokens[at + 1].start()]
        initial = between.startswith(".") and len(tokens[at][0]) == 1  # John F. Kennedy
        if between.removeprefix("." if initial else "").strip(" \t\u00a0") not in ("", "-"):
            return False
    return True


def _initials(tokens: list[re.Match[str]], places: Iterable[int]) -> str:
    return "".join(tokens[at][0][0] for at in places).casefold()


def _rows(letters: str) -> Iterator[str]:
    for size in range(2, _LONGEST_ACRONYM + 1):
        yield from (letters[at : at + size] for at in range(len(letters) - size + 1))
