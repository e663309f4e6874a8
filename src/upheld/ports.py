"""The ports: everything outside Upheld, as it is seen from inside.

Each port has a fake and a conformance suite in `upheld.testing`; the suite runs on the fake and on
the real thing. A port raises only errors of `upheld.errors`.

Ports beside the engines: bytes in storage, and pages of the web.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Generic, Literal, Protocol, TypeVar

from upheld.types import Document, DocumentInfo, Evidence, Hit, Passage, Question, Scope, Usage

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from pydantic import BaseModel

    Vectors = npt.NDArray[np.float32]  # (n, dimension), each row of length one
    Vector = npt.NDArray[np.float32]  # (dimension,)


Output = TypeVar("Output", bound="BaseModel")
Output_co = TypeVar("Output_co", bound="BaseModel", covariant=True)


# --- search engine -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """A document with its passages, and their vectors where there is an embedder."""

    document: Document
    passages: tuple[Passage, ...]
    vectors: Vectors | None = None


@dataclass(frozen=True, slots=True)
class Filter:
    """Narrows a search by typed values; empty fields do not narrow."""

    document_ids: frozenset[str] = frozenset()
    titles: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()  # any of these; the scope still applies


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a collection holds."""

    documents: int
    passages: int  # live ones
    rows: int  # live and superseded: what the engine stores until `maintain`
    unindexed: int
    fragments: int
    embedder: str | None


@dataclass(frozen=True, slots=True)
class Maintained:
    """What `maintain` did."""

    removed_rows: int = 0
    indexes_built: tuple[str, ...] = ()
    seconds: float = 0.0


class Index(Protocol):
    """Documents and passages under collections; every call names its scope or collection.

    Commit protocol: texts, then passages, then the document row, which is the acknowledgement.
    Readers see only passages of the commit that the document row names.
    """

    async def upsert(self, collection: str, documents: Sequence[IndexedDocument]) -> None:
        """Write documents whole; when this returns they are acknowledged."""
        ...

    async def delete(self, collection: str, document_ids: Sequence[str]) -> int:
        """Forget documents; returns how many there were."""
        ...

    async def bm25(
        self, query: str, scope: Scope, limit: int, where: Filter = Filter()
    ) -> list[Hit]:
        """Search by words, best first."""
        ...

    async def nearest(
        self, vector: Vector, scope: Scope, limit: int, where: Filter = Filter(), *, query: str = ""
    ) -> list[Hit]:
        """Search by the nearest vectors, best first; `query` is only noted in the hits."""
        ...

    async def hybrid(
        self, query: str, vector: Vector, scope: Scope, limit: int, where: Filter = Filter()
    ) -> list[Hit]:
        """Search by words and by vectors, fused by `upheld.fusion.fuse`."""
        ...

    async def passages(self, ids: Sequence[str], scope: Scope) -> list[Passage]:
        """Live passages by id, in the order asked for; unknown or unseen ones are left out."""
        ...

    async def documents(self, scope: Scope) -> list[DocumentInfo]:
        """The documents that the scope admits."""
        ...

    async def document_text(
        self, document_id: str, scope: Scope, version: str | None = None
    ) -> str:
        """The canonical text; raises NotFoundError if it is not there or not in scope."""
        ...

    async def statistics(self, collection: str) -> Statistics:
        """How much the collection holds."""
        ...

    async def maintain(self, collection: str) -> Maintained:
        """Compact, index new rows, and remove every byte of what was deleted."""
        ...

    async def close(self) -> None:
        """Release what the index holds open."""
        ...


# --- encoder models ------------------------------------------------------------------------------


class Embedder(Protocol):
    """Texts to vectors of length one."""

    @property
    def identity(self) -> str:
        """Names the weights, so that vectors of different models never meet."""
        ...

    @property
    def dimension(self) -> int: ...

    async def embed(self, texts: Sequence[str]) -> Vectors: ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Pair:
    """What is asked of an entailment model: does the premise say what the claim says?"""

    premise: str
    claim: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """Probabilities that sum to one; a model that cannot tell contradiction gives it none."""

    entails: float
    contradicts: float
    neutral: float


class Entailment(Protocol):
    """Judges pairs of premise and claim; what does not fit is refused, never cut."""

    @property
    def identity(self) -> str:
        """Names the weights, so that thresholds are never used with scores of another model."""
        ...

    @property
    def languages(self) -> frozenset[str]:
        """ISO 639-1 codes of the languages that it was trained on."""
        ...

    @property
    def room(self) -> int:
        """Tokens that premise and claim may have together."""
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens of a text; parts that are joined by white space have no more than their sum."""
        ...

    async def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """One judgement a pair, in the order given; raises ModelError if any cannot be judged."""
        ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class QueryPassagePair:
    """What is asked of a grader: does the text help to answer the query?"""

    query: str
    text: str


Relevance = QueryPassagePair  # its name until 0.2


class Grader(Protocol):
    """Grades texts against queries; a text longer than it reads is graded by its beginning."""

    @property
    def identity(self) -> str:
        """Names the weights, so that thresholds are never used with scores of another model."""
        ...

    async def grade(self, pairs: Sequence[QueryPassagePair]) -> list[float]:
        """One probability in (0, 1) a pair, in the order given; ModelError if any has none."""
        ...

    async def close(self) -> None: ...


# --- language model ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Sampling:
    """How to decode; the defaults are for one reproducible answer."""

    max_tokens: int = 512
    samples: int = 1
    temperature: float = 0.0
    top_k: int | None = None
    seed: int | None = None
    logprobs: int = 0  # alternatives per token; 0 asks for none


@dataclass(frozen=True, slots=True)
class Token:
    """One generated token with its log probability and its likeliest alternatives."""

    text: str
    logprob: float
    alternatives: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Generation(Generic[Output_co]):
    """One sample: the parsed value and the text it was parsed from."""

    value: Output_co
    text: str
    tokens: tuple[Token, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply(Generic[Output_co]):
    """All samples of one request, and what the request cost."""

    generations: tuple[Generation[Output_co], ...]
    usage: Usage = field(default_factory=Usage)

    @property
    def value(self) -> Output_co:
        """The parsed value of the first sample."""
        return self.generations[0].value


class LLM(Protocol):
    """A chat model that decodes under a JSON schema."""

    @property
    def identity(self) -> str:
        """The model's name, as answers and guarantees show it."""
        ...

    async def generate(
        self, messages: Sequence[Message], output: type[Output], sampling: Sampling = Sampling()
    ) -> Reply[Output]:
        """Complete under the schema of `output`; raises LLMOutputError if no sample fits it."""
        ...

    def stream(
        self, messages: Sequence[Message], sampling: Sampling = Sampling()
    ) -> AsyncIterator[str]:
        """Free text, piece by piece."""
        ...

    def count_tokens(self, messages: Sequence[Message]) -> int:
        """An upper estimate of the prompt's tokens, for reserving a budget before the call."""
        ...

    async def close(self) -> None:
        """Release connections and other resources."""
        ...


# --- fallback search -----------------------------------------------------------------------------


class Searcher(Protocol):
    """Anything that finds evidence for a question: our index, another collection, the web."""

    async def __call__(self, question: Question) -> Evidence: ...


@dataclass(frozen=True, slots=True)
class StoredObject:
    """What a listing tells of an object."""

    name: str
    changed_at: datetime


class Objects(Protocol):
    """Bytes by name under one prefix of storage."""

    async def put(self, name: str, data: AsyncIterator[bytes]) -> None: ...

    async def get(self, name: str) -> bytes:
        """The bytes; raises NotFoundError if there are none."""
        ...

    async def delete(self, names: Sequence[str]) -> None: ...

    async def listed(self, under: str = "") -> list[StoredObject]:
        """Everything in a folder of the prefix."""
        ...

    async def clear(self) -> int:
        """Remove everything under the prefix; how many objects there were."""
        ...


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it was sent: `uri` is where it was found in the end, `name` tells its format."""

    uri: str
    name: str
    data: bytes


class Fetch(Protocol):
    """Fetches pages of strangers, within limits."""

    async def __call__(self, url: str) -> Page:
        """The page; raises WebError if there is none to be had."""
        ...

    async def close(self) -> None: ...
