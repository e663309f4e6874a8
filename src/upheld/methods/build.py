"""Parts and parameters become a method; the stages that several methods share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from upheld.generation.extract import ExtractiveWriter
from upheld.generation.fallback import Write, WriteAndPrepare, WriteOrQuote
from upheld.generation.write import TOKENS_AROUND_CLAIM, WriteClaims
from upheld.methods.parameters import Parameters
from upheld.methods.rag import RAG
from upheld.methods.registry import MakeMethod, Method
from upheld.ports import LLM, Grader, Searcher
from upheld.resources.open import Resources
from upheld.retrieval.distil import Distil
from upheld.retrieval.rerank import Rerank
from upheld.retrieval.search import OwnSearch, Search
from upheld.types import Scope
from upheld.verification.verify_draft import VerifyDraft

Stage = TypeVar("Stage")


def build(
    parts: Resources, scope: Scope, chosen: Parameters, method: str | MakeMethod = ""
) -> Method:
    """A method of one's own, or the one that these parameters belong to, for one request."""
    kit = StageFactory(parts, scope, chosen)
    if not isinstance(method, str):
        return method(kit)
    if type(chosen) is Parameters:
        return RAG(search=kit.search(), write=kit.write)
    from upheld.methods.builders import build_method  # a third of what `ask` imports

    return build_method(kit, chosen)


@dataclass(frozen=True, slots=True)
class StageFactory:
    """The stages that methods are made of, as one request has them.

    >>> def search_and_write(stages: StageFactory) -> Method:
    ...     return RAG(search=stages.search(), write=stages.write)
    >>> kb.ask("When does the lighthouse open?", method=search_and_write)
    """

    parts: Resources
    scope: Scope
    chosen: Parameters

    def found(self, limit: int) -> Searcher:
        """So many passages, in the order of the index or of the searcher that was given."""
        if self.parts.searcher is not None:
            return OwnSearch(search=self.parts.searcher, scope=self.scope, limit=limit)
        return Search(
            index=self.parts.index,
            scope=self.scope,
            embedder=self.parts.embedder,
            mode=self.chosen.search,
            limit=limit,
        )

    def search(self) -> Searcher:
        """What the writer is given, in the grader's order where it is wanted."""
        if not self.chosen.rerank:
            return self.found(self.chosen.passages)
        wide = max(Rerank.candidates, self.chosen.passages)
        return Rerank(search=self.found(wide), grader=self.grader, limit=self.chosen.passages)

    @property
    def grader(self) -> Grader | None:
        """Who orders passages, where that is wanted."""
        return self.parts.grade.grader if self.chosen.rerank else None

    @property
    def quote(self) -> ExtractiveWriter:
        return ExtractiveWriter(
            embedder=self.parts.embedder,
            grader=self.parts.grade.grader,
            max_passages=self.chosen.passages,
        )

    @property
    def claims(self) -> WriteClaims | None:
        return self.asking(
            lambda llm: WriteClaims(
                llm=llm, max_passages=self.chosen.passages, max_tokens=self.answer_tokens
            )
        )

    @property
    def answer_tokens(self) -> int:
        """What an answer may take to decode: its words, and the JSON around them."""
        words = self.parts.settings.answer_tokens
        return WriteClaims.max_tokens if words is None else words + TOKENS_AROUND_CLAIM

    @property
    def write(self) -> Write:
        """The LLM writer with the quote writer behind it, or the quote writer alone."""
        if self.claims is None:
            return self.quote
        writes = WriteAndPrepare(write=self.claims, verify=self.parts.verify)
        return WriteOrQuote(write=writes, quote=self.quote)

    @property
    def check(self) -> VerifyDraft:
        """The verifier; its judge, which costs calls, comes once, at the end of the run."""
        return VerifyDraft(verify=self.parts.verify)

    def asking(self, stage: Callable[[LLM], Stage], wanted: bool = True) -> Stage | None:
        """A stage that asks the language model, where there is one and the stage is wanted."""
        return None if self.parts.llm is None or not wanted else stage(self.parts.llm)

    def distil(self, wanted: bool) -> Distil | None:
        return Distil(grader=self.parts.grade.grader) if wanted else None

    def fallback_search(self, wanted: bool) -> Searcher | None:
        return (
            self.parts.fallback_search.under(self.scope)
            if wanted and self.parts.fallback_search
            else None
        )
