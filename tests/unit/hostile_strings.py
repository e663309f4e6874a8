"""Strings that make a careless pattern or loop slow: fixed ones, and some made from a pattern."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

# The parser behind `re`, and its codes; they have no published types.
codes: Any = import_module("re._constants")
parser: Any = import_module("re._parser")
# Repeated until the text is as long as it should be.
REPEATED = {
    "spaces": " ",
    "tabs and line ends": "\t\n",
    "line ends": "\n",
    "brackets": "[",
    "nested brackets": "[(",
    "marks": "a [1]",
    "marks in a row": "[1]",
    "quotation marks": "\"“‘'",
    "opened quotations": "“",
    "dashes": "- ",
    "list items": "- a\n",
    "numbered": "1. a\n",
    "table rows": "|a|b|\n",
    "headings": "# a\n",
    "fences": "```\n",
    "backticks": "`",
    "emphasis": "**a** _b_ ",
    "underscores": "_",
    "digits": "1",
    "thousands": "1,000 ",
    "dates": "5 May 2020, 12:30 pm, 1990s ",
    "number words": "hundred ",
    "number words joined": "two hundred and five thousand ",
    "combining marks": "\u0315\u0300",
    "letters with marks": "e\u0301\u0323 ",
    "emoji": "👩‍👩‍👧‍👦",
    "one endless word": "x",
    "one endless capital": "X",
    "hyphenated": "Ab-",
    "names": "Ada Lovelace of the ",
    "initials": "J. ",
    "punctuation": "?!...",
    "spaced dots": ". ",
    "closers": ".)",
    "sentences": "No. It is. ",
    "short lines": "a\n",
    "blocks": "a b c.\n\n",
    "Markdown links": "[a](http://b.c) ",
    "open links": "[a](b",
    "HTML tags": "<b a='c'>",
    "open tags": "<a ",
    "entities": "&amp;",
    "claims of claims": "that claim that story that ",
    "myths": "It is a myth that it is false that ",
    "futures": "will soon will ",
    "announced": "Wrong:\n- a\n",
    "Chinese": "中文。",
    "Thai": "ภาษา",
    "fences of all lengths": "`" * 50 + "\n" + "`" * 40 + "\n",
    "mixed": "A [1], “b” (c)? 1,000 - *d*\n# e\n",
}
_CHARACTER = {
    codes.CATEGORY_DIGIT: "1",
    codes.CATEGORY_SPACE: " ",
    codes.CATEGORY_WORD: "a",
    codes.CATEGORY_NOT_DIGIT: "a",
    codes.CATEGORY_NOT_SPACE: "a",
    codes.CATEGORY_NOT_WORD: ".",
}
_MANY = 50  # a repeat of so many is as good as endless


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to make a text of any length: something repeated, with what stands around it."""

    unit: str
    before: str = ""
    after: str = ""

    def text(self, length: int) -> str:
        """A text of this length, or less than a unit shorter, that ends alike at every length.

        A last mark that is cut off costs more than a closed one: a text that ended in one at some
        lengths only would seem to grow in jumps.
        """
        cut_off = self.unit[: len(self.unit) // 2]
        between = length - len(self.before) - len(cut_off) - len(self.after)
        return self.before + self.unit * (between // len(self.unit)) + cut_off + self.after


def fixed() -> dict[str, Recipe]:
    """The texts that every function is given."""
    found = {name: Recipe(unit) for name, unit in REPEATED.items()}
    found["spaces between words"] = Recipe(" ", "A", "B.")
    found["all marks after a word"] = Recipe("\u0300", "a")
    return found


def of_module(module: ModuleType) -> dict[str, Recipe]:
    """Texts from the patterns of a module: their words, and what their repeats take."""
    found: dict[str, Recipe] = {}
    for name, pattern in patterns_of(vars(module)):
        for number, recipe in enumerate(dict.fromkeys(_of_pattern(pattern))):
            found[f"{name} {number}"] = recipe
    return found


def patterns_of(values: Mapping[str, Any]) -> Iterator[tuple[str, re.Pattern[str]]]:
    """Every compiled pattern among these values, also inside of tuples, lists and dicts."""
    for name, value in values.items():
        if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
            yield name, value
        elif isinstance(value, tuple | list):
            yield from patterns_of({f"{name}[{at}]": each for at, each in enumerate(value)})
        elif isinstance(value, dict) and not name.startswith("__"):
            yield from patterns_of({f"{name}[{key}]": each for key, each in value.items()})


def _of_pattern(pattern: re.Pattern[str]) -> Iterator[Recipe]:
    tree = parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE)
    words = list(dict.fromkeys(_words(tree)))
    if words:
        yield Recipe(" ".join(words) + " ")
    sample = _sample(tree)
    if sample:
        yield Recipe(sample)
        yield Recipe(sample[:-1] or sample)
        yield Recipe(sample + " ")
    for before, unit in dict.fromkeys(_repeats(tree)):
        yield Recipe(unit, before, "\x00")


def _words(tree: Any) -> Iterator[str]:
    """Runs of literal letters anywhere in a pattern."""
    run = ""
    for code, argument in tree:
        if code is codes.LITERAL:
            run += chr(argument)
            continue
        if run.strip():
            yield run.strip()
        run = ""
        for inner in _inside(code, argument):
            yield from _words(inner)
    if run.strip():
        yield run.strip()


def _sample(tree: Any) -> str:
    """A short text that the pattern may match: its first alternatives, each repeat once."""
    return "".join(_one(code, argument) for code, argument in tree)


def _one(code: Any, argument: Any) -> str:
    if code in (codes.LITERAL, codes.NOT_LITERAL):
        return chr(argument) if code is codes.LITERAL else "a"
    if code is codes.ANY:
        return "a"
    if code is codes.IN:
        return _member(list(argument))
    if code in (codes.ASSERT, codes.ASSERT_NOT, codes.AT):
        return ""
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
        return _sample(argument[2]) * max(1, int(argument[0]))
    inside = _inside(code, argument)
    return _sample(inside[0]) if inside else ""


def _member(members: list[tuple[Any, Any]]) -> str:
    if members[0][0] is codes.NEGATE:
        known = {chr(argument) for code, argument in members[1:] if code is codes.LITERAL}
        return str(next(each for each in "a1 .[" if each not in known))
    code, argument = members[0]
    if code is codes.CATEGORY:
        return str(_CHARACTER[argument])
    return chr(argument[0] if code is codes.RANGE else argument)


def _inside(code: Any, argument: Any) -> list[Any]:
    if code is codes.BRANCH:
        return list(argument[1])
    if code is codes.SUBPATTERN:
        return [argument[3]]
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
        return [argument[2]]
    if code in (codes.ASSERT, codes.ASSERT_NOT):
        return [argument[1]]
    return [argument] if code is codes.ATOMIC_GROUP else []


def _repeats(tree: Any, before: str = "") -> Iterator[tuple[str, str]]:
    """What is repeated without end, and a text that leads to it."""
    for code, argument in tree:
        endless = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
        if code in endless and argument[1] > _MANY and (unit := _sample(argument[2])):
            yield before, unit
        for inner in _inside(code, argument):
            yield from _repeats(inner, before)
        before += _one(code, argument)
