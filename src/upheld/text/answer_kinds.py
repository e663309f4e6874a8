"""What kind of answer a question asks for, and whether a sentence has something of that kind.

"How many" asks for a number, "which file" for a path. The rules are for English and only count as
one feature among others: a question of no known kind is answered all the same.
"""

from __future__ import annotations

import re
from enum import StrEnum

from upheld.text.patterns import search

_SEEN = 2_000  # characters of a question or a sentence that are looked at


class AnswerKind(StrEnum):
    """What an answer has to contain."""

    NUMBER = "number"
    TIME = "time"  # a date, a year or a time of day
    DURATION = "duration"
    NAME = "name"
    CODE = "code"  # a command, an option, a setting, a function
    FILE = "file"
    REASON = "reason"


_ASKED = (
    (
        AnswerKind.FILE,
        r"\b(?:which|what|in which|where is the) (?:\w+ )?(?:file|folder|directory|path)s?\b"
        r"(?! (?:size|system|format|type|extension|descriptor|mode|permission)s?\b)",
    ),
    # "Which command shows why …" asks for a command.
    (AnswerKind.REASON, r"^\W*(?:(?!which|what|how|when|where|who)\w+,? ){0,3}?why\b"),
    (
        AnswerKind.CODE,
        r"\b(?:which|what) (?:\S+ ){0,2}?(?:command|option|flag|switch|setting|parameter|variable"
        r"|function|keyword|clause|mode|view|column|value|statement|privilege|role|signal)\b"
        r"|\bhow (?:do|can|could|should|would|to)\b"
        r"|\bwhat (?:must|should|do) i (?:set|use|type|run)\b"
        r"|\bis there (?:a|an|any) (?:way|command|option|setting)\b",
    ),
    (
        AnswerKind.TIME,
        r"\bwhen (?:was|were|did|is|are|does|do|will|has|had)\b|\b(?:what|which|in which|in what)"
        r" (?:year|date|day|month|century|decade)\b",
    ),
    (AnswerKind.DURATION, r"\bhow (?:long|old|far apart|often)\b"),
    (
        AnswerKind.NUMBER,
        r"\bhow (?:many|much|big|large|far|full|high|tall|deep|fast|wide|heavy)\b"
        r"|\b(?:what|which) (?:\S+ ){0,3}?(?:number|size|limit|maximum|minimum|percentage|percent"
        r"|cost|base|priority|port|value|width|length|population|height|distance)\b",
    ),
    (AnswerKind.NAME, r"\b(?:who|whom|whose)\b|\bwhere (?:was|were|is|are|did|do|does)\b"),
)
_ASKS = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _ASKED)
_WHO = re.compile(r"\bwho(?:m|se)?\b", re.IGNORECASE)
_NUMBER_WORD = (
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|fifty|hundred"
    r"|thousand|million|billion|unlimited|no limit)\b"
)
_DATE = (
    r"\b(?:1\d|20)\d\d\b|\b(?:century|january|february|march|april|june|july|august|september|october"
    r"|november|december)\b"
)
_TIME_OF_DAY = (
    r"\d:\d\d|\d ?[ap]\.?m\b|\b(?:noon|midnight|o.clock)\b"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
    rf"|\b(?:at|by|until|till|from|before|after|since) (?:\d{{1,2}}\b(?! ?%)|{_NUMBER_WORD})"
)
_HAS = {
    AnswerKind.NUMBER: re.compile(rf"\d|{_NUMBER_WORD}", re.IGNORECASE),
    AnswerKind.TIME: re.compile(
        rf"{_DATE}|{_TIME_OF_DAY}",
        re.IGNORECASE,
    ),
    AnswerKind.DURATION: re.compile(
        rf"{_DATE}|\d ?(?:ms|s|min|h|d)\b"
        r"|\b(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|indefinitely)\b",
        re.IGNORECASE,
    ),
    AnswerKind.NAME: re.compile(r"(?<=[\w,;] )[A-ZÀ-Þ][\w’'-]+"),
    AnswerKind.CODE: re.compile(
        r"`|(?<!\S)--?[a-z]|\b[A-Za-z]+_\w|\b[A-Z]{3}|\w\(\)|\bset [a-z]+ [a-z]|\$\w"
    ),
    AnswerKind.REASON: re.compile(
        r"\b(?:because|since|so that|due to|in order to|reasons?|otherwise|avoids?|prevents?"
        r"|causes?|caused by|needed|necessary|required|workaround|therefore|thus|thanks to)\b",
        re.IGNORECASE,
    ),
    AnswerKind.FILE: re.compile(
        r"(?<!\w)[~.]?/\w|\b[\w-]+\.(?:[a-z]{2,4}|conf|config)\b|(?<!\w)\.[a-z]\w+"
    ),
}
_ASKS_DEFAULT = re.compile(
    r"\bdefault|\bdefualt\b|\bout of the box\b|\bunless\b|\bnever (?:touched|changed|set)\b"
    r"|\bwithout (?:any |giving |an? )?(?:option|setting|argument|config)"
    r"|\bnothing (?:is |was )?(?:configured|set)\b|\bset nothing\b|\bstock\b|\bby itself\b"
    r"|\b(?:if|when) i (?:give|pass|name|set) no|\bnot (?:pass|name|give|set|touch)\b",
    re.IGNORECASE,
)
_TELLS_DEFAULT = re.compile(
    r"\bdefaults?\b|\bnormally\b|\btypically\b"
    r"|\b(?:is|are|if) (?:not (?:given|specified|set)|omitted|unset)\b|\bif no \w",
    re.IGNORECASE,
)


def asked_kind(question: str) -> AnswerKind | None:
    """Return the kind of answer that a question asks for; None if its words do not say.

    >>> asked_kind("How many clients can connect at once?")
    <AnswerKind.NUMBER: 'number'>
    """
    return next((kind for kind, pattern in _ASKS if search(pattern, question[:_SEEN])), None)


def asks_who(question: str) -> bool:
    """Return whether a question asks for a person."""
    return search(_WHO, question[:_SEEN]) is not None


def has_kind(text: str, kind: AnswerKind) -> bool:
    """Return whether a text has something of this kind in it."""
    return search(_HAS[kind], text[:_SEEN]) is not None


def asks_for_default(question: str) -> bool:
    """Return whether a question is about what holds if nothing is set."""
    return search(_ASKS_DEFAULT, question[:_SEEN]) is not None


def tells_default(text: str) -> bool:
    """Return whether a text says what holds if nothing is set."""
    return search(_TELLS_DEFAULT, text[:_SEEN]) is not None
