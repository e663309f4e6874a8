"""Linked: the second passage of an answer in two hops, where one names what the other is about.

"In which city was the maker of the lamp born?" is answered by a passage on the lamp, which names
its maker, and by the one whose title that name is. A question that compares two things names both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from upheld.types import Evidence, Hit, Passage, Question
from upheld.words import words

_IN_BRACKETS = re.compile(r"\([^)]*\)")
LEAST = (
    0.0  # relevance: likelier than not to help, fitted on dev: docs/decisions/011-one-passage.md
)
SHORTEST = 4  # letters: "It" and "Go" are titles, too


def linked(
    question: Question, quotes: Sequence[str], quoted: Passage, evidence: Evidence
) -> Passage | None:
    """The best passage that helps, and whose title the question or the quotes name."""
    told = [_as_words(text) for text in (question.text, *quotes)]
    for hit in evidence:
        title = _title(hit.passage)
        if _helps(hit) and title != _title(quoted) and any(title in text for text in told):
            return hit.passage
    return None


def _helps(hit: Hit) -> bool:
    return hit.relevance is not None and hit.relevance >= LEAST


def _title(passage: Passage) -> str:
    """Without what tells it from its namesakes; a title too short matches nothing."""
    title = _IN_BRACKETS.sub(" ", passage.title)
    return _as_words(title) if len(title.strip()) >= SHORTEST else "\0"


def _as_words(text: str) -> str:
    return f" {' '.join(words(text))} "
