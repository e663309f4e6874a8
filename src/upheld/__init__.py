"""Upheld answers questions from your documents, and every sentence is upheld by a source.

>>> from upheld import Upheld
>>> with Upheld.open("kb") as kb:
...     kb.add("examples/documents")
...     print(kb.ask("When does the lighthouse open?"))
"""

from upheld.budget import Budget
from upheld.client import AsyncUpheld, Upheld
from upheld.errors import UpheldError
from upheld.types import (
    Answer,
    Cause,
    Citation,
    Claim,
    Conflict,
    DocumentInfo,
    Event,
    Evidence,
    Guarantee,
    Hit,
    Passage,
    Question,
    Scope,
    SearchMode,
    Status,
    Support,
    Usage,
    Verdict,
)
from upheld.verifying import CheckedAnswer, verify, verify_async
from upheld.version import __version__

__all__ = [
    "Answer",
    "AsyncUpheld",
    "Budget",
    "Cause",
    "CheckedAnswer",
    "Citation",
    "Claim",
    "Conflict",
    "DocumentInfo",
    "Event",
    "Evidence",
    "Guarantee",
    "Hit",
    "Passage",
    "Question",
    "Scope",
    "SearchMode",
    "Status",
    "Support",
    "Upheld",
    "UpheldError",
    "Usage",
    "Verdict",
    "__version__",
    "verify",
    "verify_async",
]
