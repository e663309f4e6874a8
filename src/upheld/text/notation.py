"""Rewrite numbers, dates and times of a claim in the notation of its premise.

An entailment model takes 2340 and 2,340 for different numbers. Only values that are certainly
equal are rewritten, and only in the model's input: the claim that is shown stays unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from upheld._internal.cache import cached_in_run
from upheld.text.figures import MONTH, figures

_NAME = rf"(?P<m>{'|'.join(sorted(MONTH, key=len, reverse=True))})\.?"
_DAY = r"(?P<d>\d{1,2})(?:st|nd|rd|th)?"
_DATES = (
    re.compile(r"(?<![\d-])(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)(?![\d-])"),
    re.compile(rf"(?<!\d){_DAY} {_NAME},? (?P<y>\d{{4}})(?!\d)", re.IGNORECASE),
    re.compile(rf"\b{_NAME} {_DAY},? (?P<y>\d{{4}})(?!\d)", re.IGNORECASE),
)
_CLOCKS = (
    re.compile(
        r"(?<![\d:.])(?P<h>\d{1,2})(?:[:.](?P<min>\d\d))? ?(?P<half>[ap])\.?m\b", re.IGNORECASE
    ),
    re.compile(r"(?<![\d:.])(?P<h>\d{1,2}):(?P<min>\d\d)(?P<half>)(?![\d:])"),
)
_DATE_IN_FIGURES = re.compile(r"\d[-/.]\d+[-/.]\d")
# Bounds, because each figure costs a regex over the claim; a model could not read more or longer.
_MOST_FIGURES = 64
_LONGEST_FIGURE = 100  # characters
_MOST_READINGS = 2  # 2m is 2 or 2,000,000; a decade is any of its years


def in_notation_of(premise: str, claim: str) -> str:
    """Return the claim with dates, times and numbers written as in the premise, if equal."""
    known: dict[str, list[str]] = {}
    for text, value in _spellings(premise):
        known.setdefault(value, []).append(text)
    for text, value in _spellings(claim)[:_MOST_FIGURES]:
        spellings = known.get(value)
        if spellings and len(text) <= _LONGEST_FIGURE and text not in spellings:
            alone = rf"(?<![\w.,]){re.escape(text)}(?![\w%]|[.,]\d)"
            claim = re.sub(alone, spellings[0], claim, count=1)
    return claim


@cached_in_run(4096)  # every claim is compared with the same premises
def _spellings(text: str) -> tuple[tuple[str, str], ...]:
    """Return the dates, times and numbers of a text as written, each with its value."""
    return tuple(_spelt(text))


def _spelt(text: str) -> Iterator[tuple[str, str]]:
    for rules, value in ((_DATES, _date), (_CLOCKS, _time)):
        for rule in rules:
            yield from ((match[0], value(match)) for match in rule.finditer(text))
            text = rule.sub(" ", text)
    for figure in figures(text):
        numbers = [each for each in figure.readings if re.fullmatch(r"\d+(?:\.\d+)?", each)]
        unsure = len(figure.readings) > _MOST_READINGS
        if numbers and not unsure and not _DATE_IN_FIGURES.search(figure.text):
            yield figure.text, max(numbers, key=float)


def _date(match: re.Match[str]) -> str:
    month = match["m"].lower()
    return f"{match['y']}-{MONTH.get(month) or int(month)}-{int(match['d'])}"


def _time(match: re.Match[str]) -> str:
    hour = int(match["h"])
    if match["half"]:
        hour = hour % 12 + (12 if match["half"] in "pP" else 0)
    return f"{hour}:{match['min'] or '00'}"
