"""The ports: protocols for search engines, models, storage and web pages outside Upheld.

Each port has a conformance suite in `upheld.testing` and a fake in `upheld_lab.testing`; the suite
runs on the fake and on the real implementation. A port raises only errors of `upheld.errors`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Generic, Literal, Protocol, TypeVar, runtime_checkable

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
    """A document with its passages, and their vectors if there is an embedder."""

    document: Document
    passages: tuple[Passage, ...]
    vectors: Vectors | None = None


@dataclass(frozen=True, slots=True)
class Filter:
    """Restricts a search to some documents, titles or labels; empty fields do not restrict.

    Example::

        hits = await index.bm25("ferry", Scope(), 5, Filter(titles=frozenset({"Timetable"})))
    """

    document_ids: frozenset[str] = frozenset()
    titles: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()  # at least one of these; the scope applies as well


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts of what a collection holds."""

    documents: int
    passages: int  # of current document versions
    rows: int  # also of replaced and deleted documents, which are stored until `maintain`
    unindexed: int
    fragments: int
    embedder: str | None


@dataclass(frozen=True, slots=True)
class Maintained:
    """What `maintain` did."""

    removed_rows: int = 0
    indexes_built: tuple[str, ...] = ()
    seconds: float = 0.0
    by_another: bool = False  # nothing was done, because another process maintains it now


@dataclass(frozen=True, slots=True)
class ReEmbedded:
    """What `re_embed` did; nothing if the collection had vectors of this embedder already."""

    documents: int
    passages: int  # embedded by this call
    embedder: str
    seconds: float = 0.0


class Index(Protocol):
    """A search engine: documents and passages by collection.

    Write order: texts, then passages, then the document row, which commits them. Readers see only
    passages of the commit that the document row names. To use your own engine, implement these
    methods and run the conformance suite of `upheld.testing` on it.

    Example::

        kb = Upheld.open("kb", index=MyIndex())
    """

    async def upsert(self, collection: str, documents: Sequence[IndexedDocument]) -> None:
        """Write documents, replacing those with the same id; they are committed on return."""
        ...

    async def delete(self, collection: str, document_ids: Sequence[str]) -> int:
        """Delete documents by id and return how many there were."""
        ...

    async def bm25(
        self, query: str, scope: Scope, limit: int, where: Filter = Filter()
    ) -> list[Hit]:
        """Search by words (BM25), best first."""
        ...

    async def nearest(
        self, vector: Vector, scope: Scope, limit: int, where: Filter = Filter(), *, query: str = ""
    ) -> list[Hit]:
        """Search by the nearest vectors, best first; `query` is only copied into the hits."""
        ...

    async def hybrid(
        self, query: str, vector: Vector, scope: Scope, limit: int, where: Filter = Filter()
    ) -> list[Hit]:
        """Search by words and by vectors, fused by `upheld.fusion.fuse`."""
        ...

    async def passages(self, ids: Sequence[str], scope: Scope) -> list[Passage]:
        """Return current passages by id, in the order of `ids`.

        Unknown ones, and those that the scope does not admit, are left out.
        """
        ...

    async def document_passages(self, document_id: str, scope: Scope) -> list[Passage]:
        """Return all current passages of a document, by their place in it.

        The list is empty if there is no such document, or if the scope does not admit it.
        """
        ...

    async def documents(self, scope: Scope) -> list[DocumentInfo]:
        """List the documents that the scope admits."""
        ...

    async def document_text(
        self, document_id: str, scope: Scope, version: str | None = None
    ) -> str:
        """Return the canonical text; raise `NotFoundError` if it is missing or not in scope."""
        ...

    async def statistics(self, collection: str) -> Statistics:
        """Count what the collection holds."""
        ...

    async def maintain(self, collection: str, *, loading: bool = False) -> Maintained:
        """Compact the storage, index new rows, and erase the bytes of deleted documents.

        While rows are `loading`, what takes long may be left for the call after the last of them.
        """
        ...

    async def close(self) -> None:
        """Release files and connections."""
        ...


# --- encoder models ------------------------------------------------------------------------------


class Embedder(Protocol):
    """A model that turns texts into vectors of length one."""

    @property
    def identity(self) -> str:
        """The name of the weights; vectors of different models are never compared."""
        ...

    @property
    def dimension(self) -> int: ...

    async def embed(self, texts: Sequence[str]) -> Vectors: ...

    async def close(self) -> None: ...


@runtime_checkable
class ReEmbedder(Protocol):
    """What an index may offer besides: vectors of another embedder, without downtime."""

    async def re_embed(
        self,
        collection: str,
        embedder: Embedder,
        progress: Callable[[int, int], None] | None = None,
    ) -> ReEmbedded:
        """Embed all passages of a collection again, while it is searched and written."""
        ...


@dataclass(frozen=True, slots=True)
class Pair:
    """The input of an entailment model: does the premise imply the claim?"""

    premise: str
    claim: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """The output of an entailment model: three probabilities that sum to one.

    `contradicts` is 0 if the model does not distinguish contradiction from neutral.
    """

    entails: float
    contradicts: float
    neutral: float


class Entailment(Protocol):
    """A model that scores pairs of premise and claim; it refuses pairs that are too long."""

    @property
    def identity(self) -> str:
        """The name of the weights; fitted thresholds are used only with the same name."""
        ...

    @property
    def languages(self) -> frozenset[str]:
        """ISO 639-1 codes of the languages that the model was trained on."""
        ...

    @property
    def room(self) -> int:
        """The maximal number of tokens of premise and claim together."""
        ...

    def count_tokens(self, text: str) -> int:
        """Count the tokens of a text.

        Texts joined by white space must not have more tokens than the sum of their counts.
        """
        ...

    async def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """Score the pairs, in order; raise `ModelError` if one of them cannot be scored."""
        ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class QueryPassagePair:
    """The input of a grader: does the text help to answer the query?"""

    query: str
    text: str


Relevance = QueryPassagePair  # deprecated alias of 0.1


class Grader(Protocol):
    """A model that scores how much texts help to answer queries; long texts are truncated."""

    @property
    def identity(self) -> str:
        """The name of the weights; fitted thresholds are used only with the same name."""
        ...

    async def grade(self, pairs: Sequence[QueryPassagePair]) -> list[float]:
        """Return a probability in (0, 1) for each pair, in order; raise `ModelError` on failure."""
        ...

    async def close(self) -> None: ...


# --- language model ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation.

    Example::

        earlier = [Message("user", "Who built it?"), Message("assistant", "Agnes Tolliver.")]
        kb.ask("When did she build it?", options=AskOptions(earlier=earlier))
    """

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Sampling:
    """Decoding parameters; the defaults are greedy, for one reproducible reply."""

    max_tokens: int = 512
    samples: int = 1
    temperature: float = 0.0
    top_k: int | None = None
    seed: int | None = None
    logprobs: int = 0  # alternatives per token; 0 requests no log probabilities


@dataclass(frozen=True, slots=True)
class Token:
    """One generated token with its log probability and its most probable alternatives."""

    text: str
    logprob: float
    alternatives: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Generation(Generic[Output_co]):
    """One sample of a reply: the parsed value and the text that it was parsed from."""

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
    """A chat model whose output is constrained by a JSON schema.

    To use your own model, implement these methods and pass it to `open`.

    Example::

        kb = Upheld.open("kb", llm=MyLLM())
    """

    @property
    def identity(self) -> str:
        """The model's name, as it appears in answers and guarantees."""
        ...

    async def generate(
        self, messages: Sequence[Message], output: type[Output], sampling: Sampling = Sampling()
    ) -> Reply[Output]:
        """Complete under the JSON schema of `output`, and parse each sample into it.

        Raises `LLMOutputError` if no sample matches, and another `LLMError` if the call fails.
        """
        ...

    def stream(
        self, messages: Sequence[Message], sampling: Sampling = Sampling()
    ) -> AsyncIterator[str]:
        """Complete as free text, and yield it in pieces."""
        ...

    def count_tokens(self, messages: Sequence[Message]) -> int:
        """Estimate the prompt's tokens, rather too high: the budget reserves them before a call."""
        ...

    async def close(self) -> None:
        """Release connections and other resources."""
        ...


# --- fallback search -----------------------------------------------------------------------------


class Searcher(Protocol):
    """Anything that finds evidence for a question: an index, another collection, the web.

    Example::

        async def my_search(question: Question) -> Evidence:
            return Evidence(tuple(Hit(passage, 1.0, question.text) for passage in my_passages))

        kb = Upheld.open("kb", searcher=my_search)
    """

    async def __call__(self, question: Question) -> Evidence: ...


@dataclass(frozen=True, slots=True)
class StoredObject:
    """An object in storage, as a listing shows it."""

    name: str
    changed_at: datetime


class Objects(Protocol):
    """Object storage: bytes by name, under one prefix."""

    async def put(self, name: str, data: AsyncIterator[bytes]) -> None: ...

    async def get(self, name: str) -> bytes:
        """Return the bytes of an object; raise `NotFoundError` if there is no such object."""
        ...

    def stream(self, name: str) -> AsyncIterator[bytes]:
        """Yield the bytes of an object in parts; raise `NotFoundError` as `get` does."""
        ...

    async def delete(self, names: Sequence[str]) -> None: ...

    async def listed(self, under: str = "") -> list[StoredObject]:
        """List the objects in a folder of the prefix."""
        ...

    async def clear(self) -> int:
        """Delete all objects under the prefix and return how many there were."""
        ...


@dataclass(frozen=True, slots=True)
class Page:
    """A fetched web page: `uri` is its address after redirects, `name` shows its file format."""

    uri: str
    name: str
    data: bytes


class Fetch(Protocol):
    """Fetches untrusted web pages, within limits of size and time."""

    async def __call__(self, url: str) -> Page:
        """Fetch a page; raise `WebError` if it cannot or must not be fetched."""
        ...

    async def close(self) -> None: ...
