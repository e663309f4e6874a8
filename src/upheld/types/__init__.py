"""Frozen data types that pass from stage to stage, such as `Question` and `Answer`; no stages."""

from __future__ import annotations

from upheld.types.answer import (
    Answer,
    Claim,
    Conflict,
    Draft,
    Event,
    Guarantee,
    Status,
    Usage,
    Verdict,
)
from upheld.types.documents import (
    Citation,
    Document,
    DocumentInfo,
    Passage,
    Place,
    Scope,
    content_hash,
    located,
    new_id,
    passage_id,
    unique_passages,
)
from upheld.types.evidence import Evidence, Hit, Question, SearchMode, union
from upheld.types.support import Cause, Support

__all__ = [
    "Answer",
    "Cause",
    "Citation",
    "Claim",
    "Conflict",
    "Document",
    "DocumentInfo",
    "Draft",
    "Event",
    "Evidence",
    "Guarantee",
    "Hit",
    "Passage",
    "Place",
    "Question",
    "Scope",
    "SearchMode",
    "Status",
    "Support",
    "Usage",
    "Verdict",
    "content_hash",
    "located",
    "new_id",
    "passage_id",
    "union",
    "unique_passages",
]
