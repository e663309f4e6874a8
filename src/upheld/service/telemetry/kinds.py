"""What was missing from an answer, as one of few words: labels of a metric must be bounded."""

from __future__ import annotations

OTHER = "other"

# By how a label of `Answer.degraded` begins; what follows may be anybody's words.
KINDS: tuple[tuple[str, str], ...] = (
    ("no embedder", "embedder"),
    ("the embedder failed", "embedder"),
    ("no grader", "grader"),
    ("the grader failed", "grader"),
    ("how claims bear on the question is not known", "grader"),
    ("claims were not checked", "verifier"),
    ("the judge did not answer", "judge"),
    ("no language model", "llm"),
    ("the budget ended the run", "budget"),
    ("done without a call", "budget"),
    ("no guarantee", "guarantee"),
    ("the call cache", "call_cache"),
    ("search engines did not answer", "web"),
    ("the wider search", "wider_search"),
)


def kind_of(label: str) -> str:
    """The part that was missing; `other` for what a stage did without."""
    return next((kind for start, kind in KINDS if label.startswith(start)), OTHER)
