"""What needs no check: sentences that say nothing about the world, each with its typed cause.

The rules match whole sentences and are narrow on purpose. A sentence that is wrongly let off
escapes every check, while one that is wrongly checked is only shown as unsupported.
"""

from __future__ import annotations

import re

from upheld.sentences import sentences
from upheld.stages.checks.claims import spoken
from upheld.stages.checks.figures import figures
from upheld.types import Cause
from upheld.words import words

_LONGEST_HEADING = 12  # words
_LONGEST_LEAD_IN = 8
_ENDS = (".", "!", "?", "…", "。", "！", "？")
# A clause that goes on after one of these may say anything.
_GOES_ON = re.compile(
    r"[;:—]|\b(?:but|however|although|though|yet|whereas|while|except|instead|because|since|only)\b"
)
_DOCUMENTS = (
    r"(?:the|these|those|your|my|none of the|no)?\s*(?:provided|given|available|supplied|cited)?\s*"
    r"(?:documents?|sources?|passages?|contexts?|texts?|excerpts?|materials?|information)"
    r"(?: (?:provided|given|available|supplied|above))?"
)
_TELLS = (
    r"(?:answer|say|mention|contain|provide|specify|state|discuss|address|give|include|tell|cover"
    r"|explain|describe|indicate)s?"
)
_META = re.compile(
    rf"{_DOCUMENTS} (?:(?:do|does|did) ?(?:not|n't)|don't|doesn't|didn't|cannot|can't) {_TELLS}\b.*"
    rf"|(?:there is|i found|i have) (?:no|not enough|insufficient) information\b.*"
    rf"|no answer could be written"
    rf"|(?:here (?:is|are)|below (?:is|are)) (?:the|an?|my|some)? ?(?:short |brief |full )?"
    rf"(?:answer|summary|overview|list|details|points)\b[^,]*"
    rf"|based on {_DOCUMENTS}"
)
_GREETING = re.compile(
    r"(?:hello|hi|hey|greetings|welcome|good (?:morning|afternoon|evening|day))(?: there| again)?"
    r"|(?:sure|certainly|of course|absolutely|great|okay|ok)(?: thing)?"
    r"|(?:that is |that's |what )?an? (?:good|great|excellent|interesting) question"
    r"|(?:good|great|excellent|interesting) question"
    r"|(?:many )?thank(?:s| you)(?: (?:so|very) much)?(?: for (?:asking|your question))?"
    r"|you(?: are|'re) welcome"
    r"|(?:best|kind|warm) regards"
)
_HEDGE = re.compile(
    r"i(?: am|'m) (?:sorry|afraid|not (?:sure|certain))(?: about (?:this|that|it))?"
    r"|i (?:do not|don't) know(?: (?:this|that|the answer))?"
    r"|i (?:cannot|can't|could not|couldn't|am unable to|was unable to)"
    r" (?:find|say|tell|verify|confirm|answer)\b.*"
    r"|(?:i )?hope (?:this|that|it) helps"
    r"|(?:please )?let me know if .*"
    r"|please (?:note|consult|check|verify|see)(?: (?:that|with))?"
    r"(?: (?:the|your|a|an) (?:source|sources|documents?|original|professional|expert))?"
)


def not_checkworthy(text: str) -> Cause | None:
    """Why a claim needs no check, or None: then it must be checked.

    A claim of several sentences needs a check as soon as one of them does.
    """
    causes = [_of_sentence(each) for each in sentences(text)] or [Cause.NO_WORDS]
    return None if None in causes else causes[0]


def _of_sentence(text: str) -> Cause | None:
    said = spoken(text)
    told = words(said)
    if not told:
        return Cause.NO_WORDS
    if _is_heading(text, said, len(told)):
        return Cause.HEADING
    if said.rstrip("\"'”’)*").endswith(("?", "？")):
        return Cause.QUESTION
    plain = said.casefold().replace("’", "'").strip(" .!…:*_\"'")
    if figures(said):
        return None  # whoever gives a figure says something about the world
    for cause, rule in ((Cause.GREETING, _GREETING), (Cause.META, _META), (Cause.HEDGE, _HEDGE)):
        if rule.fullmatch(plain) and not _GOES_ON.search(plain):
            return cause
    return None


def _is_heading(text: str, said: str, length: int) -> bool:
    marked = text.lstrip().startswith("#") or re.fullmatch(r"\s*\*\*[^*]+\*\*:?\s*", text)
    if marked and length <= _LONGEST_HEADING and not said.endswith(_ENDS):
        return True
    return said.endswith(":") and length <= _LONGEST_LEAD_IN and not figures(said)
