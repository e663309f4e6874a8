"""From a claim and the passage it names to the exact words it rests on."""

from __future__ import annotations

from collections import Counter

from upheld.text.sentences import Span, sentence_spans
from upheld.text.words import terms
from upheld.types import Citation, Passage


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
