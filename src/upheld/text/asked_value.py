"""The one value of a sentence that a question asks for: a number, a date, a name, an option.

"How long are logs kept?" and "Logs are kept for 30 days." give "30 days". Where a sentence has two
values that could be meant, there is none: without a language model nothing says which is right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from upheld.text.answer_kinds import AnswerKind, asked_kind, asks_who
from upheld.text.names import names
from upheld.text.patterns import matches
from upheld.text.quantities import Quantity, quantities
from upheld.text.tokens import Token, tokens
from upheld.text.words import words

_LONGEST_SENTENCE, _LONGEST_QUESTION = 2_000, 500  # characters that are looked at
_DURATIONS = frozenset(("time", "months"))
_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_DATE = re.compile(
    rf"\b(?:\d{{1,2}} )?{_MONTH}(?: \d{{1,2}})?,? \d{{4}}\b"
    r"|\b\d{4}-\d\d-\d\d\b|\b(?:1\d|20)\d\d\b"
)
_ARTICLES = ("the", "a", "an")
_ASIDES = frozenset(
    ("after", "against", "at", "for", "from", "in", "near", "of", "on", "than", "to")
)
_SIGNS = ".,;:!?()[]\"'“”’"
_CODE = re.compile(r"`([^`\n]{1,60})`|(?<!\S)(--?[a-zA-Z][\w-]*)")
_FILE = re.compile(
    r"(?<![\w/.~-])((?:~|\.{1,2})?/[\w./*~-]*\w|\.?[\w-]+\.(?:conf|config|cfg|ini|json|ya?ml|toml|txt|log|sh"
    r"|py|html|xml|d|gz)\b)"
)


def asked_value(question: str, sentence: str) -> str | None:
    """Return the value that a question asks for, as the sentence spells it; None if it is unsure.

    >>> asked_value("How many clients may connect?", "The default is 100 connections.")
    '100'
    """
    question, text = question[:_LONGEST_QUESTION], sentence[:_LONGEST_SENTENCE]
    kind = asked_kind(question)
    if kind is None or (kind is AnswerKind.NAME and not asks_who(question)):
        return None  # "where" is often answered by no name, or by two
    found = list(_values(kind, question, text))
    return found[0] if len({" ".join(words(each)) for each in found}) == 1 else None


def _values(kind: AnswerKind, question: str, text: str) -> Iterable[str]:
    """Return what of this kind a sentence has and the question has not."""
    match kind:
        case AnswerKind.NUMBER | AnswerKind.DURATION:
            only = _DURATIONS if kind is AnswerKind.DURATION else None
            return _measures(question, text, only)
        case AnswerKind.TIME:
            found = [each[0] for each in matches(_DATE, text)]
        case AnswerKind.NAME:
            found = _names(text)
            if any(_is_aside(each, question, text) for each in found):
                return []
        case AnswerKind.CODE:
            spelt = [each[1] or each[2] for each in matches(_CODE, text)]
            return [each for each in spelt if each not in question]
        case AnswerKind.FILE:
            spelt = [each[1] for each in matches(_FILE, text)]
            return [each for each in spelt if each not in question]
        case AnswerKind.REASON:
            return []  # a reason is a clause, not a value
    asked = set(words(question))
    return [each for each in found if not asked.issuperset(words(each))]


def _measures(question: str, text: str, only: frozenset[str] | None) -> list[str]:
    """Return the quantities, equal ones once: "128 megabytes (128MB)" is one."""
    asked, said = quantities(tokens(question)), tokens(text)
    found: list[Quantity] = []
    for each in quantities(said):
        known = any(each.equals(other) for other in (*asked, *found))
        asked_for = only is None or each.dimension in only
        if each.binding and each.is_measure and asked_for and not known:
            found.append(each)
        if len(found) > 1:
            break  # two are as unsure as many
    return [_spelt(said, each, text) for each in found]


def _spelt(said: list[Token], quantity: Quantity, text: str) -> str:
    """Return a quantity with its unit as the sentence has it."""
    parts = [each.text for each in said if quantity.at <= each.at <= quantity.end]
    found = re.search(r"\s*".join(map(re.escape, parts)), text)
    return found[0] if found else " ".join(parts)


def _is_aside(name: str, question: str, text: str) -> bool:
    """Return whether a name only says from whom, for whom or where: "bought from the Marshes"."""
    before = text[: text.find(name)].lower().split()[-2:]
    if before and before[-1] in _ARTICLES:
        before.pop()
    return bool(before) and before[-1] in _ASIDES and before[-1] not in words(question)


def _names(text: str) -> list[str]:
    """Return the runs of words that are names, cut at commas and other signs."""
    known = {each.text for each in names(text)}
    runs: list[list[str]] = [[]]
    for word in text.split():
        bare = word.strip(_SIGNS)
        plain = bare.removesuffix("'s").removesuffix("’s")
        if plain in known:
            runs[-1].append(plain)
        if plain not in known or word[-1] in _SIGNS or plain != bare:
            runs.append([])
    return [" ".join(each) for each in runs if each]
