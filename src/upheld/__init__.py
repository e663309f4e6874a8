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

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "AsyncUpheld",
    "Budget",
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
]
