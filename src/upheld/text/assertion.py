"""Find statements that a source contains but does not assert: denied, alleged, open or future.

An entailment model reads "It is false that X" and finds X. This module marks such words. Its
patterns are narrow on purpose: a false match turns a true claim into an unsupported one. Plain
negation ("Dogs are not allowed") is left to the model, which reads it well.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from upheld.text.patterns import LONGEST_PART, matches, search
from upheld.text.sentences import Span, block_spans

_LOOK_AHEAD = 200  # characters after a sentence in which it may be retracted


class Assertion(Enum):
    """How a source withholds its assertion; the value is the word shown to the reader."""

    DENIED = "denied"
    ALLEGED = "only alleged"
    OPEN = "left open"
    AHEAD = "yet to come"


@dataclass(frozen=True, slots=True)
class Unasserted:
    """A span of a source that the source does not assert, and how."""

    start: int
    end: int
    assertion: Assertion


_TALE = (
    r"(?:claims?|rumou?rs?|myths?|stor(?:y|ies)|ideas?|beliefs?|notions?|allegations?|accusations?"
    r"|legends?|assertions?|theor(?:y|ies)|hypothes[ei]s|reports?|statements?|suggestions?)"
)
_FALSE = (
    r"(?:false|untrue|wrong|incorrect|inaccurate|mistaken|unfounded|baseless|fabricated|debunked"
    r"|disproved|disproven|refuted|not (?:true|so|correct|the case)"
    r"|an? (?:\w+ )?(?:myth|misconception|fallacy|hoax|lie|fabrication))"
)
_SAYS = r"(?:say|says|said|claim|claims|claimed|allege|alleges|alleged|has it|had it|have it)"
_PLANS = r"(?:planned|scheduled|expected|projected|hoped)"
_AHEAD = (
    r"(?:next (?:week|month|year|spring|summer|autumn|fall|winter)|tomorrow|soon"
    r"|later this (?:week|month|year)|in the (?:near|coming) \w+)"
)

# The text after the match is not asserted, up to the end of its clause. A named group also needs
# other words later on its line (`_LATER`): to search for them from every match would take quadratic
# time.
_FROM_HERE = (
    (
        Assertion.DENIED,
        rf"\b{_FALSE} that\b"
        rf"|(?P<called_false>(?:^that|\b{_TALE} that)\b)"
        rf"|\b(?:refut|reject|dismiss|debunk|disprov|den[iy])\w* (?:\w+ ){{0,3}}{_TALE} that\b"
        r"|\bden(?:y|ies|ied|ying) (?:that|having|(?!noth)\w+ing)\b"
        r"|\b(?:falsely|wrongly|mistakenly) (?:claim|sa[iy]|stat|assert|accus|report|believ)\w*"
        r"|\bno (?:\w+ ){0,2}(?:evidence|proof|truth|indication|sign)\b[^,;]{0,30}?\bthat\b",
    ),
    (
        Assertion.ALLEGED,
        r"\balleg(?:e|es|ed|ing) that\b|\balleged to\b"
        r"|\b(?:allegedly|supposedly|purportedly|reputedly)\b"
        r"|\b(?:suspect|speculate|guess)(?:s|ed|d)? that\b"
        r"|\brumou?r(?:ed (?:to|that)|s? that)\b|\b(?:allegations?|accusations?) that\b"
        r"|\baccus(?:e|es|ed|ing) (?:[\w'’]+ ){0,5}of\b"
        r"|\baccording to (?:\w+ )?(?:legend|rumou?rs?|critics|opponents)\b"
        rf"|\b(?:critics|opponents|detractors|rumou?rs?|legend) {_SAYS}\b",
    ),
    (
        Assertion.OPEN,
        r"\b(?:unclear|unknown|uncertain|doubtful|questionable|remains to be seen"
        r"|not (?:yet )?(?:known|clear|certain|proven|established)) (?:whether|if)\b",
    ),
    (
        Assertion.AHEAD,
        rf"\b(?:is|are|was|were) (?:\w+ly )?{_PLANS} to\b"
        rf"|(?P<then>\b(?:will|shall)\b)|(?P<will>\b{_AHEAD}\b)",
    ),
)
_AFTER = [(assertion, re.compile(pattern, re.IGNORECASE)) for assertion, pattern in _FROM_HERE]
_LATER = {
    "called_false": rf"(?:is|was|are|were|be|been|as) (?:\w+ )?{_FALSE}\b",
    "then": rf"{_AHEAD}\b",
    "will": r"(?:will|shall)\b",
}
_LATER_ON_LINE = {
    # Inside a look-ahead, so that matches may overlap.
    group: re.compile(rf"\b(?=({pattern}))", re.IGNORECASE)
    for group, pattern in _LATER.items()
}
# The whole sentence is not asserted.
_MYTH = re.compile(r"\W*+(?:myth|rumou?r|false)(?: \d++)?\s*+[:–—]", re.IGNORECASE)
_ALLEGED = re.compile(r", (?:[\w'’]+ ){1,4}(?:alleg(?:e|es|ed)|claimed)\W*$", re.IGNORECASE)
_WHETHER = re.compile(r"whether\b", re.IGNORECASE)
_LEFT_OPEN = re.compile(
    r"\b(?:unclear|unknown|uncertain|disputed|not (?:yet )?(?:known|clear|certain))", re.IGNORECASE
)
_CLAUSE_END = re.compile(r";|,? (?:but|although|though|while|whereas|however)\b")
_ASIDE = re.compile(r", (?:who|which|whose|whom)\b")

_TAKES_BACK = re.compile(
    r"(?:(?:but|however|yet|in fact|actually),? )?"
    rf"(?:(?:this|that|it|these|those|the)(?: {_TALE})? (?:is|was|are|were|has been|have been"
    r"|proved|turned out)(?: \w+ly| later| since| all| of course)*(?: (?:found|shown|proven))?"
    rf"(?: to be)? {_FALSE}(?=[.,;:!]|$| and\b| as\b| because\b)"
    rf"|(?:[\w'’]+ ){{1,4}}(?:denies|denied|refuted|disproved|debunked) (?:this|that|these|the)"
    rf" {_TALE}\b"
    r"|(?:this|that|it) never happened\b"
    r"|(?:no|not so|wrong|false|not true|incorrect|april fools?)[.!,;])",
    re.IGNORECASE,
)
_TALES = r"(?:myths|misconceptions|fallacies|hoaxes|rumou?rs|false (?:claims|beliefs)|fake news)"
_TALES_HEADING = re.compile(
    rf"\b(?:common|popular|widespread|frequent|persistent|\d+) (?:\w+ )?{_TALES}\b"
    rf"|\b{_TALES} (?:about|on|around|regarding|concerning|surrounding|of)\b"
    rf"|^\W*{_TALES}\W*$|\b{_TALES},? (?:debunked|busted)\b",
    re.IGNORECASE,
)
_WRONG_BELOW = re.compile(rf"\b{_FALSE}\b|\b{_TALES}\b", re.IGNORECASE)
_OWN_VOICE_AGAIN = re.compile(
    r"\W*(?:in fact|in truth|in reality|actually|the truth|the fact|facts?:|reality:|but|however"
    r"|no,)",
    re.IGNORECASE,
)
_NO_LEVEL = 7  # headings have levels from 1 to 6
_LIST_ITEM = re.compile(r"[ \t]*(?:[-*+•>|]|\d{1,3}[.)])[ \t]?")

_SAME_DOUBT = re.compile(
    r"\b(?:no|not|never|none|nobody|neither|nor|without|cannot|false|falsely|untrue|wrong|wrongly"
    r"|incorrect|mistaken|myths?|misconceptions?|hoax|lies?|legend|den(?:y|ies|ied)|contrary"
    r"|critics|opponents|accord\w+|said|says?|whether|unclear"
    r"|unknown|uncertain|rumou?r\w*|claim\w*|alleg\w*|accus\w*|suppos\w*|purport\w*|reput\w*"
    r"|report\w*|believ\w*|belief|suspect\w*|fear\w*|hope\w*|debunk\w*|disprov\w*|refut\w*|doubt\w*|disput\w*)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)
_HEDGE = re.compile(r"\b(?:may|might|could|perhaps|possibl[ey])\b", re.IGNORECASE)
_SAME_TIME = re.compile(
    r"\b(?:will|shall|would|going to|to be|next|tomorrow|soon|later|coming|future|upcoming|until"
    r"|may|might|could|plan\w*|expect\w*|schedul\w*|project\w*|hop(?:e|es|ed)|inten[dt]\w*|propos\w*"
    r"|not|never|(?:1[89]|2[01])\d\d"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july"
    r"|august|september|october|november|december|spring|summer|autumn|winter)\b|n['’]t\b|['’]ll\b",
    re.IGNORECASE,
)


def carries(claim: str, assertion: Assertion) -> bool:
    """Return whether a claim is qualified itself, so that it is not the bare statement."""
    if assertion is Assertion.AHEAD:
        return search(_SAME_TIME, claim) is not None
    hedged = assertion is not Assertion.DENIED and search(_HEDGE, claim)
    return bool(hedged or search(_SAME_DOUBT, claim))


def unasserted(text: str, sentences: Sequence[Span], context: str = "") -> dict[Span, Unasserted]:
    """Return the sentences that a text does not assert, in whole or in part.

    `context` is the title and headings of the text.
    """
    tales = list(_tales(text, bool(_TALES_HEADING.search(context[:LONGEST_PART]))))
    starts = [first for first, _ in tales]
    contradicted: set[int] = set()  # blocks of myths that their own text has begun to refute
    found: dict[Span, Unasserted] = {}
    for start, end in sentences:
        told = text[start:end]
        tale = bisect_right(starts, start) - 1
        if tale >= 0 and start < tales[tale][1] and tale not in contradicted:
            if _takes_back(told) or _OWN_VOICE_AGAIN.match(told):
                contradicted.add(tale)
            else:
                found[start, end] = Unasserted(start, end, Assertion.DENIED)
        elif _takes_back(text[end : end + _LOOK_AHEAD].lstrip()):
            found[start, end] = Unasserted(start, end, Assertion.DENIED)
        elif found_unasserted := _in_sentence(told):
            first, last, assertion = found_unasserted
            found[start, end] = Unasserted(start + first, start + last, assertion)
    return found


def _takes_back(following: str) -> bool:
    return bool(_TAKES_BACK.match(following[:LONGEST_PART]))


def _in_sentence(sentence: str) -> tuple[int, int, Assertion] | None:
    if assertion := _of_whole(sentence):
        return 0, len(sentence), assertion
    for assertion, pattern in _AFTER:
        if found := _first(pattern, sentence):
            start, begin = found
            ends = search(_CLAUSE_END, sentence, begin)
            end = ends.start() if ends else len(sentence)
            comma = sentence.rfind(",", 0, start)
            if comma >= 0 and _ASIDE.match(sentence, comma, start):
                # "the mayor, who denied that, left"
                comma = sentence.find(",", begin)
                end = end if comma < 0 else min(end, comma)
            return begin, end, assertion
    return None


def _of_whole(sentence: str) -> Assertion | None:
    """Return how a whole sentence is not asserted, or None."""
    if _MYTH.match(sentence):
        return Assertion.DENIED
    if _ALLEGED.search(sentence[-LONGEST_PART:]):
        return Assertion.ALLEGED
    if (whether := _WHETHER.match(sentence)) and search(_LEFT_OPEN, sentence, whether.end()):
        return Assertion.OPEN
    return None


def _first(pattern: re.Pattern[str], sentence: str) -> Span | None:
    """Return the span of the first match whose required words follow later on the same line."""
    later: dict[str, dict[int, Span]] = {}
    line_end = at = 0
    while match := search(pattern, sentence, at):
        start, end = match.span()
        if (group := match.lastgroup) is None:
            return start, end
        if group not in later:
            later[group] = _last_on_lines(_LATER_ON_LINE[group], sentence)
        if end > line_end:
            line_end = _end_of_line(sentence, end)
        first, last = later[group].get(line_end, (-1, -1))
        if first >= end:
            return (start, last) if group == "will" else (start, end)
        at = start + 1
    return None


def _last_on_lines(pattern: re.Pattern[str], sentence: str) -> dict[int, Span]:
    """Return the last match on each line that has one, keyed by the end of the line."""
    found: dict[int, Span] = {}
    line_end = -1
    for match in matches(pattern, sentence):
        if match.start() > line_end:
            line_end = _end_of_line(sentence, match.start())
        found[line_end] = match.span(1)
    return found


def _end_of_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _tales(text: str, throughout: bool) -> Iterator[Span]:
    """Yield blocks that list myths: below a heading or an opening line that says so."""
    below, announced = 0 if throughout else _NO_LEVEL, False  # `below` is the level of the heading
    for start, end in block_spans(text):
        block = text[start:end]
        level = len(block) - len(block.lstrip("#"))
        told = below < (level or _NO_LEVEL)
        if level and not told:
            below = level if _TALES_HEADING.search(block[:LONGEST_PART]) else _NO_LEVEL
            announced = False
            continue
        if told or announced:
            yield start, end
        opens = block.rstrip(" *_").endswith(":") and search(_WRONG_BELOW, block) is not None
        announced = opens or (announced and bool(_LIST_ITEM.match(block)))
