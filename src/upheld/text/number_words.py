"""Numbers written as words: "two", "twenty-one", "three hundred and five thousand", "a dozen"."""

from __future__ import annotations

import re
from collections.abc import Iterator

_WORD = re.compile(r"[^\W\d_]+")
# "nine hundred and ninety-nine trillion …" down to units has 30. A longer run is no number, and
# its value would have thousands of digits: it is read as several.
_LONGEST_NUMBER = 40  # words
_LOOSE = frozenset({"one", "zero"})
_UNITS = {
    word: value
    for value, word in enumerate(
        _WORD.findall(
            """zero one two three four five six seven eight nine ten eleven twelve thirteen
            fourteen fifteen sixteen seventeen eighteen nineteen"""
        )
    )
}
_TENS = {
    word: 10 * value
    for value, word in enumerate(
        _WORD.findall("twenty thirty forty fifty sixty seventy eighty ninety"), start=2
    )
}
_SCALES = {
    "dozen": 12,
    "hundred": 100,
    "thousand": 1_000,
    "million": 1_000_000,
    "billion": 1_000_000_000,
    "trillion": 1_000_000_000_000,
}
_ORDINALS = {
    word: value
    for value, word in enumerate(
        _WORD.findall(
            "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
        ),
        start=1,
    )
}


def number_words(text: str) -> Iterator[tuple[str, int, bool]]:
    """Each number with its words, and whether it surely is a figure.

    >>> list(number_words("two hundred and five of the first dozen"))
    [('two hundred and five', 205, True), ('first', 1, False), ('dozen', 12, True)]
    """
    run: list[re.Match[str]] = []
    for word in _WORD.finditer(text):
        if run and len(run) < _LONGEST_NUMBER and _continues(text, run, word):
            run.append(word)
            continue
        yield from _told(text, run)
        run = []
        lower = word[0].lower()
        if lower in _ORDINALS:
            yield word[0], _ORDINALS[lower], False
        elif _is_number(lower) and not _digits_before(text, word):
            run = [word]
    yield from _told(text, run)


def _is_number(word: str) -> bool:
    return word in _UNITS or word in _TENS or word in _SCALES


def _digits_before(text: str, word: re.Match[str]) -> bool:
    """ "2.3 million" is read where its digits are."""
    before = text[max(0, word.start() - 3) : word.start()]
    return word[0].lower() in _SCALES and bool(re.search(r"\d\s?$", before))


def _continues(text: str, run: list[re.Match[str]], word: re.Match[str]) -> bool:
    last, this = run[-1][0].lower(), word[0].lower()
    between = text[run[-1].end() : word.start()]
    if between.strip() not in ("", "-", "‐", "‑"):
        return False
    if last == "and":
        return this in _UNITS or this in _TENS
    if this == "and":
        following = _WORD.match(text, word.end() + 1)
        number = following is not None and following[0].lower() in (_UNITS | _TENS)
        return last in _SCALES and last != "dozen" and number
    if this in _SCALES:
        return True
    if this in _TENS:
        return last in _SCALES
    if this in _UNITS:
        return last in _SCALES or (last in _TENS and 0 < _UNITS[this] < 10)
    return False


def _told(text: str, run: list[re.Match[str]]) -> Iterator[tuple[str, int, bool]]:
    if not run:
        return
    total = part = 0
    for word in run:
        lower = word[0].lower()
        if lower in _SCALES:
            scale = _SCALES[lower]
            if scale > 100:  # thousands and up close what stands before them
                total, part = total + max(part, 1) * scale, 0
            else:
                part = max(part, 1) * scale
        elif lower != "and":
            part += _UNITS.get(lower, 0) + _TENS.get(lower, 0)
    words = text[run[0].start() : run[-1].end()]
    yield words, total + part, words.lower() not in _LOOSE
