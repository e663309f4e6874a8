"""Parts for tests of methods: a searchable shelf, a language model by what it is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel

from upheld.errors import LLMOutputError
from upheld.generation.extract import ExtractiveWriter
from upheld.generation.fallback import WriteOrQuote
from upheld.generation.write import Claims, WriteClaims, WrittenClaim
from upheld.ports import LLM, Message, Searcher
from upheld.retrieval.search import Search
from upheld.run.trace import Run
from upheld.testing.index_samples import OWNER, made
from upheld.types import Draft, Evidence, Question, SearchMode
from upheld_lab.testing.fake_index import FakeIndex
from upheld_lab.testing.fake_llm import FakeLLM, Line


@dataclass
class Asked:
    """A searcher that remembers its queries, and fails or finds nothing on cue."""

    search: Searcher | None = None  # None finds nothing
    errors: list[Exception | None] = field(default_factory=list)  # one a call
    queries: list[Question] = field(default_factory=list)

    async def __call__(self, question: Question) -> Evidence:
        self.queries.append(question)
        if self.errors and (error := self.errors.pop(0)) is not None:
            raise error
        return Evidence() if self.search is None else await self.search(question)


async def shelf(limit: int = 5, /, **documents: str) -> Asked:
    """Documents of one passage each, searched by their words."""
    index = FakeIndex()
    await index.upsert(OWNER.collection, [made(name, text) for name, text in documents.items()])
    return Asked(Search(index=index, scope=OWNER, mode=SearchMode.BM25, limit=limit))


def scripted(lines: Mapping[type[BaseModel], Sequence[Line]]) -> FakeLLM:
    """A model that says, for each kind of output, one line after the other."""
    left = {kind: list(said) for kind, said in lines.items()}

    def say(messages: Sequence[Message], output: type[BaseModel] | None) -> Line:
        for kind, said in left.items():
            if output is not None and issubclass(output, kind) and said:
                return said.pop(0)
        return LLMOutputError(f"the script has no line left for {output}")

    return FakeLLM(say)


def written(*claims: tuple[str, list[int]]) -> Claims:
    return Claims(claims=[WrittenClaim(text=text, sources=sources) for text, sources in claims])


def writer(llm: LLM) -> WriteOrQuote:
    return WriteOrQuote(write=WriteClaims(llm=llm), quote=ExtractiveWriter())


def called(run: Run) -> list[str]:
    """The stages that asked the language model, in order; each asked for one completion."""
    return [event.stage for event in run.events if event.usage.requests]


def told(draft: Draft) -> list[str]:
    return [claim.text for claim in draft.claims]


def sources(draft: Draft) -> list[str]:
    """The documents that a draft was written from."""
    return [passage.document_id for passage in draft.evidence.passages]
