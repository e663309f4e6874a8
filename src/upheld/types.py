"""The nouns of Upheld: frozen values that flow from stage to stage.

Offsets are Unicode code points, half-open, and always point into the canonical text of one
document version, so that `document_text[start:end] == quote` can be checked by anyone.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import zip_longest
from typing import Any, overload

from upheld._internal.to_json import to_json


class Support(StrEnum):
    """What checking a claim against its sources found."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNSUPPORTED = "unsupported"
    NOT_CHECKED = "not_checked"
    NOT_CHECKWORTHY = "not_checkworthy"


class Cause(StrEnum):
    """Why a verdict is what it is: the part of its reason that a program can act on."""

    # supported
    QUOTED = "quoted"
    ENTAILED = "entailed"
    ENTAILED_ELSEWHERE = "entailed_elsewhere"  # by passages that the claim does not cite
    # contradicted, unsupported
    CONTRADICTED = "contradicted"
    NOT_ENTAILED = "not_entailed"
    FIGURE_ABSENT = "figure_absent"
    NAME_ABSENT = "name_absent"
    NOT_ASSERTED = "not_asserted"  # a source has the words, but denies, alleges or expects it
    UNKNOWN_SOURCE = "unknown_source"  # it has a mark that names no source
    BELOW_GUARANTEE = "below_guarantee"  # entailed, but not surely enough for the guarantee
    # not_checked
    NO_MODEL = "no_model"
    MODEL_FAILED = "model_failed"
    BAD_SCORES = "bad_scores"
    OUT_OF_TIME = "out_of_time"
    CLAIM_TOO_LONG = "claim_too_long"
    CLAIM_TOO_SHORT = "claim_too_short"  # one word says nothing by itself
    SOURCE_TOO_LONG = "source_too_long"
    NO_SOURCE = "no_source"
    SOURCE_EMPTY = "source_empty"
    UNREADABLE = "unreadable"
    LANGUAGE = "language"
    # not_checkworthy
    QUESTION = "question"
    GREETING = "greeting"
    HEADING = "heading"
    META = "meta"
    HEDGE = "hedge"
    REFERENCE = "reference"
    NO_WORDS = "no_words"


class Status(StrEnum):
    """How a run ended; "no answer" is a status, not an exception."""

    ANSWERED = "answered"
    PARTIAL = "partial"
    ABSTAINED = "abstained"
    FAILED = "failed"


class SearchMode(StrEnum):
    """Which of the engine's indexes a search asks."""

    BM25 = "bm25"
    NEAREST = "nearest"
    HYBRID = "hybrid"


def new_id() -> str:
    """A random identifier for things that have no content to hash."""
    return uuid.uuid4().hex


def content_hash(content: str | bytes) -> str:
    """The hash that names a document version or a file's bytes: 128 bits of SHA-256, in hex."""
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    return hashlib.sha256(data).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked; `parent` names the question that a sub-question serves."""

    text: str
    id: str = field(default_factory=new_id)
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """What a caller may see: one collection and, inside it, documents by label.

    `labels=None` is the owner's view: everything. A set of labels shows documents that carry at
    least one of them, and documents that carry none.
    """

    collection: str = "default"
    labels: frozenset[str] | None = None

    def admits(self, labels: frozenset[str]) -> bool:
        """Whether a document with these labels may be seen."""
        return self.labels is None or not labels or bool(self.labels & labels)


@dataclass(frozen=True, slots=True)
class Place:
    """The page and the headings that hold from `start` on, an offset into the document."""

    start: int
    page: int | None = None
    heading_path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """A span of one document version: the unit that is searched, cited and checked.

    `page` and `heading_path` hold where it begins; `places` lists the later pages and headings
    that begin inside it, in order.
    """

    id: str
    text: str
    document_id: str
    document_version: str
    start: int
    end: int
    title: str = ""
    uri: str = ""
    page: int | None = None
    heading_path: tuple[str, ...] = ()
    labels: frozenset[str] = frozenset()
    places: tuple[Place, ...] = ()

    @property
    def searchable(self) -> str:
        """What is indexed: title and headings are searched with the text."""
        return "\n".join(
            part for part in (self.title, " > ".join(self.heading_path), self.text) if part
        )

    def place_at(self, offset: int) -> Place:
        """The page and headings of an offset into the document."""
        later = bisect_right(self.places, offset, key=lambda place: place.start)
        return self.places[later - 1] if later else Place(self.start, self.page, self.heading_path)

    def cite(self, start: int, end: int, support: Support = Support.NOT_CHECKED) -> Citation:
        """Cite `text[start:end]`, with the page and headings of those words."""
        place = self.place_at(self.start + start)
        return Citation(
            passage_id=self.id,
            document_id=self.document_id,
            document_version=self.document_version,
            start=self.start + start,
            end=self.start + end,
            quote=self.text[start:end],
            support=support,
            page=place.page,
            heading_path=place.heading_path,
            title=self.title,
            uri=self.uri,
        )


def passage_id(document_id: str, document_version: str, start: int, end: int) -> str:
    """The same span of the same version has the same id wherever it is indexed."""
    return f"{document_id}.{document_version[:12]}.{start}-{end}"


@dataclass(frozen=True, slots=True)
class Document:
    """A document as it is read: its canonical text and where its parts begin."""

    id: str
    uri: str
    title: str
    text: str
    source_hash: str  # of the bytes it was read from: decides whether it changed
    pipeline: str = ""  # reader, chunker and embedder versions that made its passages
    labels: frozenset[str] = frozenset()

    @property
    def version(self) -> str:
        return content_hash(self.text)


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """The acknowledged row of a document: what the index says it holds."""

    id: str
    uri: str
    title: str
    version: str
    source_hash: str
    pipeline: str
    passages: int
    labels: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that a search found; `score` compares only within one query."""

    passage: Passage
    score: float
    query: str
    relevance: float | None = None  # a grader's judgment, which does compare between queries

    def graded(self, relevance: float) -> Hit:
        """The same hit, as a grader sees it."""
        return Hit(self.passage, self.score, self.query, relevance)


@dataclass(frozen=True, slots=True)
class Evidence(Sequence[Hit]):
    """Hits in the order in which a reader should meet them; a sequence, and so is a slice of it."""

    hits: tuple[Hit, ...] = ()

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    @overload
    def __getitem__(self, at: int) -> Hit: ...

    @overload
    def __getitem__(self, at: slice) -> Evidence: ...

    def __getitem__(self, at: int | slice) -> Hit | Evidence:
        return Evidence(self.hits[at]) if isinstance(at, slice) else self.hits[at]

    def top(self, count: int) -> Evidence:
        return Evidence(self.hits[:count])

    @property
    def passages(self) -> tuple[Passage, ...]:
        return tuple(hit.passage for hit in self.hits)


def union(*parts: Evidence) -> Evidence:
    """Interleave evidence by rank: scores of different queries do not compare."""
    seen: dict[str, Hit] = {}
    for rank in zip_longest(*(part.hits for part in parts)):
        for hit in rank:
            if hit is not None:
                seen.setdefault(hit.passage.id, hit)
    return Evidence(tuple(seen.values()))


@dataclass(frozen=True, slots=True)
class Citation:
    """Words of a document that a claim rests on: `document_text[start:end] == quote`."""

    passage_id: str
    document_id: str
    document_version: str
    start: int
    end: int
    quote: str
    support: Support = Support.NOT_CHECKED
    page: int | None = None  # of the quoted words, not of the passage that holds them
    heading_path: tuple[str, ...] = ()
    title: str = ""  # of the document
    uri: str = ""  # where it was read from


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found about a claim, by whom, and why."""

    support: Support = Support.NOT_CHECKED
    probability: float | None = None
    evidence_for: tuple[Citation, ...] = ()
    evidence_against: tuple[Citation, ...] = ()
    checked_by: str | None = None
    reason: str = "no verifier has looked at this claim"
    cause: Cause | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of an answer; `answer.text[start:end] == text`, marks stand after it."""

    text: str
    citations: tuple[Citation, ...] = ()
    verdict: Verdict = Verdict()
    start: int = 0
    end: int = 0
    bearing: float | None = None  # the chance that it helps to answer the question


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two sources that disagree about the same thing."""

    claim: str
    one: Citation
    other: Citation


@dataclass(frozen=True, slots=True)
class Draft:
    """What a method has written so far, and the evidence it wrote from."""

    question: Question
    claims: tuple[Claim, ...] = ()
    evidence: Evidence = Evidence()
    notes: tuple[str, ...] = ()  # what went wrong on the way, for the trace and `degraded`
    conflicts: tuple[Conflict, ...] = ()  # sources that disagree, for the reader to weigh


@dataclass(frozen=True, slots=True)
class Usage:
    """What a step or a whole run cost."""

    requests: int = 0
    completions: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    pairs_checked: int = 0
    searches: int = 0
    cached_completions: int = 0  # of `completions`: those that the call cache gave for nothing

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
    """What the caller gets: text with marks, the claims under it, and how it came about."""

    id: str
    question: str
    status: Status
    method: str
    text: str
    claims: tuple[Claim, ...] = ()
    sources: tuple[Passage, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    guarantee: Guarantee | None = None
    pipeline: str = ""  # what emitted the scores: those of two pipelines do not compare
    degraded: tuple[str, ...] = ()
    usage: Usage = Usage()
    trace: tuple[Event, ...] = ()

    def __str__(self) -> str:
        return self.text

    def to_dict(self) -> dict[str, Any]:
        """Dicts, lists and scalars: the object that `--json` prints and the service sends."""
        found: dict[str, Any] = to_json(self)
        return found

    def to_json(self, *, indent: int | None = None) -> str:
        """`to_dict` as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent)


def unique_passages(passages: Iterable[Passage]) -> tuple[Passage, ...]:
    """Passages without repeats, first meeting first."""
    return tuple({passage.id: passage for passage in passages}.values())


def located(passages: Sequence[Passage]) -> dict[str, Passage]:
    """Passages by id."""
    return {passage.id: passage for passage in passages}
