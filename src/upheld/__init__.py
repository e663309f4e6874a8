"""Upheld answers questions from your documents, and every sentence is upheld by a source.

Ask your documents. Without a language model the answer is made of verbatim sentences:

    >>> from upheld import Upheld
    >>> with Upheld.open("kb") as kb:  # a folder, or "s3://bucket/prefix"
    ...     kb.add("examples/documents")
    ...     answer = kb.ask("When does the lighthouse open?")

Read the answer. It is a value: text, claims, a verdict on each, exact places of quotes:

    >>> print(answer)
    >>> for claim in answer.claims:
    ...     print(claim.verdict.support, claim.text, [each.quote for each in claim.citations])

Let a language model write it, by a method of your choice, within a budget:

    >>> kb = Upheld.open("kb", llm_url="http://127.0.0.1:8000/v1", llm_model="qwen2.5")
    >>> kb.ask("Who built the lighthouse?", method="crag", budget=Budget(seconds=20))

Check an answer from any other system; no knowledge base is needed:

    >>> import upheld
    >>> upheld.verify("The tower opens at nine. [1]", ["The tower opens at nine."]).supported
    True

What there is, by what you want to do:

    ask         Upheld, AsyncUpheld (the same calls, awaited), AskOptions, Budget
    read        Answer: Status, Claim, Verdict, Support, Cause, Citation, Conflict, Guarantee, Usage
    watch       Event, Listener, News, OnClaim, Watch, Progress
    search      Evidence, Hit, Passage, Place, Scope, SearchMode
    documents   AddReport, Given, PutReport, DocumentInfo, Statistics, Maintained, ReEmbedded
    verify      verify, verify_async, CheckedAnswer, CheckedSource
    extend      LLM, Index, Searcher; a method of your own: StageFactory, MakeMethod, Draft
    errors      UpheldError: `help` says what to do, `retryable` whether to try again
    settings    Settings, and OpenSettings, which are the arguments of `open`
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from upheld.version import __version__

if TYPE_CHECKING:
    from upheld.add_report import AddReport, Failure, HiddenText, Progress
    from upheld.ask_options import AskOptions
    from upheld.calibration.fitted import FittedGuarantee
    from upheld.check import CheckedAnswer, CheckedSource, verify, verify_async
    from upheld.client import AsyncUpheld, Paths
    from upheld.errors import UpheldError
    from upheld.ingest.given import Given, PutReport
    from upheld.methods.build import StageFactory
    from upheld.methods.registry import MakeMethod, Method
    from upheld.open_options import OpenSettings
    from upheld.ports import (
        LLM,
        Filter,
        Generation,
        Index,
        IndexedDocument,
        Maintained,
        Message,
        ReEmbedded,
        Reply,
        Sampling,
        Searcher,
        Statistics,
        Token,
    )
    from upheld.run.budget import Budget
    from upheld.run.trace import Listener, News, OnClaim, Watch
    from upheld.settings import Settings
    from upheld.sync_client import Upheld
    from upheld.types import (
        Answer,
        Cause,
        Citation,
        Claim,
        Conflict,
        Document,
        DocumentInfo,
        Draft,
        Event,
        Evidence,
        Guarantee,
        Hit,
        Passage,
        Place,
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
    "AddReport",
    "Answer",
    "AskOptions",
    "AsyncUpheld",
    "Budget",
    "Cause",
    "CheckedAnswer",
    "CheckedSource",
    "Citation",
    "Claim",
    "Conflict",
    "Document",
    "DocumentInfo",
    "Draft",
    "Event",
    "Evidence",
    "Failure",
    "Filter",
    "FittedGuarantee",
    "Generation",
    "Given",
    "Guarantee",
    "HiddenText",
    "Hit",
    "Index",
    "IndexedDocument",
    "Listener",
    "Maintained",
    "MakeMethod",
    "Message",
    "Method",
    "News",
    "OnClaim",
    "OpenSettings",
    "Passage",
    "Paths",
    "Place",
    "Progress",
    "PutReport",
    "Question",
    "ReEmbedded",
    "Reply",
    "Sampling",
    "Scope",
    "SearchMode",
    "Searcher",
    "Settings",
    "StageFactory",
    "Statistics",
    "Status",
    "Support",
    "Token",
    "Upheld",
    "UpheldError",
    "Usage",
    "Verdict",
    "Watch",
    "__version__",
    "verify",
    "verify_async",
]

# Public names are imported on first use, so that `import upheld` and the command line's help and
# error messages are fast. Names that are not listed here are in `upheld.types`.
_HOME = {
    "AddReport": "upheld.add_report",
    "Failure": "upheld.add_report",
    "HiddenText": "upheld.add_report",
    "Progress": "upheld.add_report",
    "AskOptions": "upheld.ask_options",
    "FittedGuarantee": "upheld.calibration.fitted",
    "CheckedAnswer": "upheld.check",
    "CheckedSource": "upheld.check",
    "verify": "upheld.check",
    "verify_async": "upheld.check",
    "AsyncUpheld": "upheld.client",
    "Paths": "upheld.client",
    "Upheld": "upheld.sync_client",
    "UpheldError": "upheld.errors",
    "Given": "upheld.ingest.given",
    "PutReport": "upheld.ingest.given",
    "StageFactory": "upheld.methods.build",
    "MakeMethod": "upheld.methods.registry",
    "Method": "upheld.methods.registry",
    "OpenSettings": "upheld.open_options",
    "LLM": "upheld.ports",
    "Filter": "upheld.ports",
    "Generation": "upheld.ports",
    "Index": "upheld.ports",
    "IndexedDocument": "upheld.ports",
    "Maintained": "upheld.ports",
    "Message": "upheld.ports",
    "ReEmbedded": "upheld.ports",
    "Reply": "upheld.ports",
    "Sampling": "upheld.ports",
    "Searcher": "upheld.ports",
    "Statistics": "upheld.ports",
    "Token": "upheld.ports",
    "Budget": "upheld.run.budget",
    "Listener": "upheld.run.trace",
    "News": "upheld.run.trace",
    "OnClaim": "upheld.run.trace",
    "Watch": "upheld.run.trace",
    "Settings": "upheld.settings",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME.get(name, "upheld.types")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
