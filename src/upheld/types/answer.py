"""Claims, verdicts and drafts, which a method writes, and the answer that the caller gets.

Docstrings of the dataclasses here are descriptions in the OpenAPI document.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar

from upheld._internal.deprecated import add_deprecated_names, warn
from upheld._internal.to_json import to_json
from upheld.types.documents import Citation, Passage
from upheld.types.evidence import Evidence, Question
from upheld.types.support import Cause, Support


class Status(StrEnum):
    """How a run ended; "no answer" is a status, not an exception."""

    ANSWERED = "answered"
    PARTIAL = "partial"
    ABSTAINED = "abstained"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of checking a claim: support, probability, evidence and reason."""

    support: Support = Support.NOT_CHECKED
    probability: float | None = None
    evidence_for: tuple[Citation, ...] = ()
    evidence_against: tuple[Citation, ...] = ()
    checked_by: str | None = None
    reason: str = "no verifier has looked at this claim"
    cause: Cause | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of an answer: `answer.text[start:end] == text`, and marks follow it.

    `relevance` is the probability that the claim helps to answer the question, whatever its
    verdict; None where no grader scored it.
    """

    text: str
    citations: tuple[Citation, ...] = ()
    verdict: Verdict = Verdict()
    start: int = 0
    end: int = 0
    relevance: float | None = field(default=None, metadata={"deprecated_name": "bearing"})

    # Pydantic reads this to show deprecated names in the OpenAPI schema.
    __pydantic_config__: ClassVar[dict[str, Any]] = {"json_schema_extra": add_deprecated_names}

    @property
    def bearing(self) -> float | None:
        """Deprecated name of `relevance`; works until 0.3, with a warning."""
        warn("Claim.bearing is deprecated: it is Claim.relevance now")
        return self.relevance


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two sources that disagree about the same thing."""

    claim: str
    one: Citation
    other: Citation


@dataclass(frozen=True, slots=True)
class Draft:
    """What a method has written so far, and the evidence that it wrote from.

    Example::

        Draft(question, claims=(Claim("The tower opens at nine."),), evidence=evidence)
    """

    question: Question
    claims: tuple[Claim, ...] = ()
    evidence: Evidence = Evidence()
    notes: tuple[str, ...] = ()  # problems while writing, shown in the trace and in `degraded`
    conflicts: tuple[Conflict, ...] = ()  # sources that disagree, shown to the reader
    p_right: float | None = None  # set by writers that know it; see `Answer`


@dataclass(frozen=True, slots=True)
class Usage:
    """The cost of a step or of a whole run: calls, tokens, pairs and searches."""

    requests: int = 0
    completions: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    pairs_checked: int = 0
    searches: int = 0
    cached_completions: int = 0  # those of `completions` that came from the call cache

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.requests + other.requests,
            self.completions + other.completions,
            self.prompt_tokens + other.prompt_tokens,
            self.cached_tokens + other.cached_tokens,
            self.completion_tokens + other.completion_tokens,
            self.pairs_checked + other.pairs_checked,
            self.searches + other.searches,
            self.cached_completions + other.cached_completions,
        )

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens together."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True)
class Event:
    """One step of a run; events are flat and linked by `parent`."""

    id: int
    parent: int | None
    stage: str
    start: float  # seconds since the run began
    seconds: float
    usage: Usage = Usage()
    error: str | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Guarantee:
    """At most `alpha` of the claims shown as supported are not, with confidence 1 - `delta`."""

    alpha: float
    delta: float
    threshold: float
    fitted_on: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question: text with marks, its claims with verdicts, and the trace.

    `p_right` is the probability that it answers the question, whatever the verdicts on its claims:
    a source may say a sentence word for word that answers another question. It is None where no
    grader read the answer. An answer is `doubtful` if it is about as likely wrong as right.
    """

    id: str
    question: str
    status: Status
    method: str
    text: str
    claims: tuple[Claim, ...] = ()
    sources: tuple[Passage, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    guarantee: Guarantee | None = None
    pipeline: str = ""  # method, settings and models; only scores of one pipeline are comparable
    degraded: tuple[str, ...] = ()
    usage: Usage = Usage()
    trace: tuple[Event, ...] = ()
    p_right: float | None = None
    doubtful: bool = False

    def __str__(self) -> str:
        return self.text

    def to_dict(self) -> dict[str, Any]:
        """Convert to dicts, lists and scalars: what `--json` prints and the service returns."""
        found: dict[str, Any] = to_json(self)
        return found

    def to_json(self, *, indent: int | None = None) -> str:
        """Convert to JSON text, from `to_dict`."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent)
