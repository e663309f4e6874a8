"""Which parts of a question a text speaks of, by the words that they share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from upheld.text.words import terms

# Words, without the rest of a contraction: "museum" of "museum's", nothing of "don't".
_WORD = re.compile(r"\b(?:(?<!\w['’])|(?=\w{3}))\w+\b(?!['’]t\b)")

Parts = Mapping[str, frozenset[str]]  # each part with the terms that tell it from the others


def parts_of(question: str, facets: Sequence[str] = ()) -> Parts:
    """What an answer must speak of: the facets, or else the words that carry the question."""
    told = {part: terms(part) for part in facets or _WORD.findall(question)}
    # What all facets share says what the question is about, not which facet is answered.
    shared = frozenset.intersection(*told.values()) if len(facets) > 1 else frozenset()
    parts: dict[frozenset[str], str] = {}
    for part, all_terms in told.items():
        if own := all_terms - shared or all_terms:
            parts.setdefault(own, part)  # the same words again are the same part
    return {part: own for own, part in parts.items()}


def unspoken(parts: Parts, texts: Iterable[str]) -> Parts:
    """The parts of whose terms no text has at least half."""
    said = [terms(text) for text in texts]
    return {
        part: own
        for part, own in parts.items()
        if not any(2 * len(own & each) >= len(own) for each in said)
    }
