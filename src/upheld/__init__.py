"""Upheld answers questions from your documents, and every sentence is upheld by a source.

>>> from upheld import Upheld
>>> with Upheld.open("kb") as kb:
...     kb.add("examples/documents")
...     print(kb.ask("When does the lighthouse open?"))
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from upheld.version import __version__

if TYPE_CHECKING:
    from upheld.check import CheckedAnswer, verify, verify_async
    from upheld.client import AsyncUpheld, Upheld
    from upheld.errors import UpheldError
    from upheld.ports import LLM, Generation, Message, Reply, Sampling
    from upheld.run.budget import Budget
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

__all__ = [
    "LLM",
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
    "Generation",
    "Guarantee",
    "Hit",
    "Message",
    "Passage",
    "Question",
    "Reply",
    "Sampling",
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

# The rest is imported when it is first used: the command line needs little of it to say what is
# wrong with a question, and its help needs nothing.
_HOME = {
    "AsyncUpheld": "upheld.client",
    "Budget": "upheld.run.budget",
    "CheckedAnswer": "upheld.check",
    "Generation": "upheld.ports",
    "LLM": "upheld.ports",
    "Message": "upheld.ports",
    "Reply": "upheld.ports",
    "Sampling": "upheld.ports",
    "Upheld": "upheld.client",
    "UpheldError": "upheld.errors",
    "verify": "upheld.check",
    "verify_async": "upheld.check",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME.get(name, "upheld.types")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
