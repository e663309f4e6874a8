"""Entries of a list of sources: marks, titles and addresses, and no room for a claim.

Whatever else stands below "Sources:" is checked like any other sentence: a false claim must not
escape by standing there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from upheld.text.figures import figures
from upheld.text.words import words
from upheld.types import Passage
from upheld.verification.checkworthy import only_names
from upheld.verification.claims import spoken

_LONGEST = 500  # characters; what is longer is no entry
_ADDRESS = re.compile(
    r"[<(\[]{0,2}(?:(?:https?|ftp|file|s3)://|www\.|doi:|mailto:)\S+\Z", re.IGNORECASE
)
_FILE = re.compile(
    r"[\w./\\~()<\[-]+\.(?:pdf|html?|md|txt|docx?|pptx?|xlsx?|csv|tsv|epub|json|xml|rst)[.,;:)>\]]*\Z",
    re.IGNORECASE,
)
_PAGE = re.compile(r"(?:\bp(?:p|ages?|\.)?\.?|§)\s?\d{1,5}(?:\s?[-–]\s?\d{1,5})?\Z", re.IGNORECASE)
_AROUND = " \t.,;:–—-|/()[]<>{}\"'“”‘’«»*_`"


def is_reference(line: str, titles: Collection[str]) -> bool:
    """Whether a line of a list of sources names one and says nothing."""
    if len(line) > _LONGEST:
        return False
    told = " ".join(token for token in spoken(line).split() if not _is_address(token))
    phrase = told.strip(_AROUND)
    phrase = _PAGE.sub("", phrase).strip(_AROUND)
    if not words(phrase) or _folded(phrase) in titles:
        return True
    return not figures(phrase) and only_names(phrase.casefold())


def titles_of(passages: Iterable[Passage]) -> frozenset[str]:
    """What the sources are called: their titles, addresses, file names and ids."""
    return frozenset(
        _folded(name)
        for each in passages
        for name in (each.title, each.uri, each.uri.rpartition("/")[2], each.document_id)
        if words(name)
    )


def _folded(name: str) -> str:
    return " ".join(spoken(name).casefold().split()).strip(_AROUND)


def _is_address(token: str) -> bool:
    return _ADDRESS.match(token) is not None or _FILE.match(token) is not None
