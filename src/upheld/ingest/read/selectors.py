"""CSS selectors: find the elements they select while nothing is hovered, focused or printed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from upheld.errors import ReadError

HtmlElement = Any  # lxml publishes no types

_DEEPEST = 8  # nested selectors
_MOST_STEPS = 2_000_000  # of matching, a few seconds; ordinary pages take a few thousand
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_BRACKETS = re.compile(r"[^()]*+[()]?")
_COMMA = re.compile(r"[,(\[\\]")
_NAME = r"(?:[-\w\u0080-\U0010ffff]|\\[0-9a-fA-F]{1,6}\s?|\\.)++"
_PART = re.compile(
    rf"(?P<combinator>\s*+[>+~]\s*+|\s++)|(?P<any>\*)|\#(?P<id>{_NAME})|\.(?P<class>{_NAME})"
    rf"|\[\s*+(?P<name>{_NAME})\s*+(?:(?P<test>[~|^$*]?=)\s*+"
    rf"(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|(?P<bare>{_NAME}))\s*+[iIsS]?\s*+)?\]"
    rf"|(?P<element>::{_NAME}|:(?:before|after|first-line|first-letter)(?![-\w]))"
    rf"|:(?P<pseudo>{_NAME})(?P<open>\()?|(?P<tag>{_NAME})"
)
_STEP = re.compile(r"\s*+([+-]?\d*)n\s*+(?:([+-])\s*+(\d+))?\s*+|\s*+([+-]?\d+)\s*+")


@dataclass(slots=True)
class _Compound:
    """The conditions on one element."""

    tag: str = ""
    ids: list[str] = field(default_factory=list)
    classes: list[str] = field(default_factory=list)
    attributes: list[tuple[str, str, str]] = field(default_factory=list)
    pseudos: list[tuple[str, str, tuple[Selector, ...]]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Selector:
    """Compounds from right to left, each with its relation to the one on its right."""

    compounds: tuple[tuple[str, _Compound], ...]
    specificity: tuple[int, int, int]


def selectors(text: str, depth: int = 0) -> Iterator[Selector]:
    """Yield the selectors of a list, without unknown ones and those that select nothing."""
    for part in _split(text):
        selector = _selector(part, depth)
        if selector is not None:
            yield selector


def _split(text: str) -> list[str]:
    """Split a list at its commas, except those inside brackets."""
    parts: list[str] = []
    start = at = 0
    while match := _COMMA.search(text, at):
        at = match.end()
        if match[0] == "(":
            at = closing(text, at)
        elif match[0] == "[":
            at = text.find("]", at) + 1 or len(text)
        elif match[0] == "\\":
            at += 1
        else:
            parts.append(text[start : match.start()])
            start = at
    return [part.strip() for part in [*parts, text[start:]] if part.strip()]


def _selector(text: str, depth: int) -> Selector | None:
    compounds = [("", _Compound())]
    ids = classes = tags = at = 0
    while at < len(text):
        part = _PART.match(text, at)
        if part is None or part["element"]:
            return None
        at = part.end()
        compound = compounds[-1][1]
        if part["combinator"]:
            compounds.append((part["combinator"].strip() or " ", _Compound()))
        elif part["id"]:
            compound.ids.append(unescaped(part["id"]))
            ids += 1
        elif part["class"]:
            compound.classes.append(unescaped(part["class"]))
            classes += 1
        elif part["name"]:
            value = part["double"] or part["single"] or part["bare"] or ""
            test = part["test"] or ""
            compound.attributes.append((unescaped(part["name"]).lower(), test, unescaped(value)))
            classes += 1
        elif part["pseudo"]:
            argument = ""
            if part["open"]:
                end = closing(text, at)
                argument, at = text[at : end - 1], end
            name = part["pseudo"].lower()
            inner = tuple(selectors(argument, depth + 1)) if _takes_list(name, depth) else ()
            compound.pseudos.append((name, argument, inner))
            classes += name != "where"
        elif part["tag"]:
            compound.tag = unescaped(part["tag"]).lower()
            tags += 1
    # From right to left: each compound with the combinator on its right.
    relations = [relation for relation, _ in compounds[1:]] + [""]
    pairs = list(zip(relations, (compound for _, compound in compounds), strict=True))
    return Selector(tuple(reversed(pairs)), (ids, classes, tags))


def _takes_list(name: str, depth: int) -> bool:
    return name in ("is", "where", "not", "matches", "any", "-webkit-any") and depth < _DEEPEST


class Matcher:
    """Finds the elements of a page that a selector selects."""

    def __init__(self, elements: Iterable[HtmlElement]) -> None:
        self._elements = list(elements)
        self._by: dict[str, list[HtmlElement]] = {}
        self._classes: dict[HtmlElement, frozenset[str]] = {}
        self._places: dict[HtmlElement, dict[HtmlElement, tuple[int, int, int, int]]] = {}
        self._steps = count(1)
        for each in self._elements:
            classes = self._classes[each] = frozenset((each.get("class") or "").split())
            keys = [f"<{each.tag}", f"#{each.get('id')}", *(f".{name}" for name in classes)]
            for key in keys:
                self._by.setdefault(key, []).append(each)

    def select(self, selector: Selector) -> list[HtmlElement]:
        """Return the elements in document order."""
        wanted = [_keys(compound) for _, compound in selector.compounds]
        # A theme's rules are mostly about what a page has not: they need no matching.
        if any(key not in self._by for keys in wanted for key in keys):
            return []
        lists = [self._by[key] for key in wanted[0]]
        candidates = min(lists, key=len) if lists else self._elements
        return [each for each in candidates if self.matches(each, selector)]

    def matches(self, element: HtmlElement, selector: Selector) -> bool:
        """Return whether the selector selects this element."""
        return self._matches(element, selector, 0)

    def _matches(self, element: HtmlElement, selector: Selector, at: int) -> bool:
        """Return whether the compounds from `at` on match, starting at this element."""
        if not self._is(element, selector.compounds[at][1]):
            return False
        if at + 1 == len(selector.compounds):
            return True
        relation = selector.compounds[at + 1][0]
        return any(self._matches(other, selector, at + 1) for other in _related(element, relation))

    def _is(self, element: HtmlElement, compound: _Compound) -> bool:
        if next(self._steps) > _MOST_STEPS:
            raise ReadError("its style rules are too many to tell what they hide")
        if compound.tag and compound.tag != element.tag:
            return False
        if compound.classes and not self._classes[element].issuperset(compound.classes):
            return False
        if compound.ids and any(element.get("id") != id for id in compound.ids):
            return False
        return all(_has(element, *attribute) for attribute in compound.attributes) and all(
            self._is_pseudo(element, *pseudo) for pseudo in compound.pseudos
        )

    def _is_pseudo(
        self, element: HtmlElement, name: str, argument: str, inner: tuple[Selector, ...]
    ) -> bool:
        if name == "not":
            return not any(self.matches(element, each) for each in inner)
        if inner:
            return any(self.matches(element, each) for each in inner)
        if name == "root":
            return element.getparent() is None
        if name in ("link", "any-link"):
            return element.tag == "a" and "href" in element.attrib
        if name == "empty":
            return not len(element) and not element.text
        return self._is_at(element, name, argument)

    def _is_at(self, element: HtmlElement, name: str, argument: str) -> bool:
        """Match `:first-child`, `:nth-of-type(2n+1)` and similar; anything else is False."""
        place = self._place(element)
        first, last = place[2:] if name.endswith("of-type") else place[:2]
        name = name.removesuffix("-of-type").removesuffix("-child")
        if name in ("first", "last", "only"):
            return (name == "last" or first == 1) and (name == "first" or last == 1)
        if name not in ("nth", "nth-last"):
            return False
        return _is_step(last if name == "nth-last" else first, argument)

    def _place(self, element: HtmlElement) -> tuple[int, int, int, int]:
        """Return positions among siblings, from both ends: of all, and of the same tag."""
        parent = element.getparent()
        if parent is None:
            return 1, 1, 1, 1
        if parent not in self._places:
            children = [each for each in parent if isinstance(each.tag, str)]
            forward, back = _numbered(children), _numbered(children[::-1])
            self._places[parent] = {
                each: (forward[each][0], back[each][0], forward[each][1], back[each][1])
                for each in children
            }
        return self._places[parent][element]


def _numbered(children: list[HtmlElement]) -> dict[HtmlElement, tuple[int, int]]:
    seen: dict[str, int] = {}
    places = {}
    for number, each in enumerate(children, start=1):
        seen[each.tag] = seen.get(each.tag, 0) + 1
        places[each] = (number, seen[each.tag])
    return places


def _keys(compound: _Compound) -> list[str]:
    """What an element is found by: its ids, its classes, its tag."""
    keys = [f"#{id}" for id in compound.ids] + [f".{name}" for name in compound.classes]
    return [*keys, f"<{compound.tag}"] if compound.tag else keys


def _related(element: HtmlElement, relation: str) -> Iterator[HtmlElement]:
    if relation == " ":
        yield from element.iterancestors()
    elif relation == ">":
        parent = element.getparent()
        yield from () if parent is None else (parent,)
    else:
        for sibling in element.itersiblings(preceding=True):
            if isinstance(sibling.tag, str):
                yield sibling
                if relation == "+":
                    return


def _has(element: HtmlElement, name: str, test: str, value: str) -> bool:
    own = element.get(name)
    if own is None or not test:
        return own is not None
    match test[:-1]:
        case "":
            return bool(own == value)
        case "~":
            return value in own.split()
        case "|":
            return bool(own == value or own.startswith(f"{value}-"))
        case "^":
            return bool(value) and own.startswith(value)
        case "$":
            return bool(value) and own.endswith(value)
        case _:
            return bool(value) and value in own


def _is_step(place: int, argument: str) -> bool:
    """Return whether a position is one of `2n+1`, `odd` or `3`."""
    argument = {"odd": "2n+1", "even": "2n"}.get(argument.strip().lower(), argument.lower())
    match = _STEP.fullmatch(argument)
    if match is None:
        return False
    if match[4]:
        return place == int(match[4][:6])
    step = int(f"{match[1]}1"[:6]) if match[1] in ("", "+", "-") else int(match[1][:6])
    offset = int(f"{match[2]}{match[3][:6]}") if match[3] else 0
    if step == 0:
        return place == offset
    return (place - offset) % step == 0 and (place - offset) // step >= 0


def closing(text: str, at: int) -> int:
    """Return the offset after the bracket that closes the one before `at`."""
    depth = 1
    while depth and at < len(text):
        match = _BRACKETS.match(text, at)
        assert match is not None
        depth += {"(": 1, ")": -1}.get(match[0][-1:], 0)
        at = match.end()
    return at


def unescaped(text: str) -> str:
    """Text with its escapes resolved: `\\64 isplay` is `display`."""

    def character(match: re.Match[str]) -> str:
        code = int(match[1], 16) if match[1] else 0
        return match[2] or (chr(code) if 0 < code < 0x110000 else "\ufffd")

    return _ESCAPE.sub(character, text) if "\\" in text else text
