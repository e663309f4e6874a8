"""From a claim and the passage it names to the exact words it rests on."""

from __future__ import annotations

import re
from collections import Counter

from upheld._internal.cache import kept
from upheld.text.sentences import Span, sentence_spans
from upheld.text.words import content_stems
from upheld.types import Citation, Passage

# Scripts that are written without spaces have no words to cut out: compare their characters.
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


@kept(16_384)  # of a sentence or a window, which several claims ask for
def terms(text: str) -> frozenset[str]:
    """What two sentences share when they speak of the same thing."""
    return content_stems(text) | set(_UNSPACED.findall(text))


def closest_sentence(claim: str, text: str) -> Span:
    """The span of the sentence that shares most with the claim; the first of equals.

    Overlap is Dice's over sets of terms, each weighted by how few sentences of the text have it,
    so that what the whole text is about does not decide.
    """
    spans = sentence_spans(text)
    if not spans:
        return (0, len(text))
    told = terms(claim)
    sentences = [terms(text[start:end]) for start, end in spans]
    spread = Counter(term for sentence in sentences for term in sentence)

    def overlap(sentence: frozenset[str]) -> float:
        shared = sum(1 / spread[term] for term in sentence & told)
        return 2 * shared / (len(sentence) + len(told) or 1)

    best = max(range(len(spans)), key=lambda index: overlap(sentences[index]))
    return spans[best]


def cite(claim: str, passage: Passage) -> Citation:
    """Cite the closest sentence of a passage, in the coordinates of its document."""
    start, end = closest_sentence(claim, passage.text)
    return passage.cite(start, end)
