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
    """Build the method for one request: your own, or the one that the parameters belong to."""
    stages = StageFactory(parts, scope, chosen)
    if not isinstance(method, str):
        return method(stages)
    if type(chosen) is Parameters:
        return RAG(search=stages.search(), write=stages.write)
    from upheld.methods.builders import build_method  # a third of what `ask` imports

    return build_method(stages, chosen)


@dataclass(frozen=True, slots=True)
class StageFactory:
    """Builds the stages of a method for one request: its scope, parameters and resources.

    >>> def search_and_write(stages: StageFactory) -> Method:
    ...     return RAG(search=stages.search(), write=stages.write)
    >>> kb.ask("When does the lighthouse open?", method=search_and_write)
    """

    resources: Resources
    scope: Scope
    chosen: Parameters

    def found(self, limit: int) -> Searcher:
        """A search for `limit` passages, in the order of the index or of your own searcher."""
        if self.resources.searcher is not None:
            return OwnSearch(search=self.resources.searcher, scope=self.scope, limit=limit)
        return Search(
            index=self.resources.index,
            scope=self.scope,
            embedder=self.resources.embedder,
            mode=self.chosen.search,
            limit=limit,
        )

    def search(self) -> Searcher:
        """The search that writers read from: reranked by the grader if `rerank` is on."""
        if not self.chosen.rerank:
            return self.found(self.chosen.passages)
        wide = max(Rerank.candidates, self.chosen.passages)
        return Rerank(search=self.found(wide), grader=self.grader, limit=self.chosen.passages)

    @property
    def grader(self) -> Grader | None:
        """The grader that reranks passages, or None if `rerank` is off."""
        return self.resources.grade.grader if self.chosen.rerank else None

    @property
    def quote(self) -> ExtractiveWriter:
        """The extractive writer, which quotes sentences and needs no language model."""
        return ExtractiveWriter(
            embedder=self.resources.embedder,
            grader=self.resources.grade.grader,
            max_passages=self.chosen.passages,
        )

    @property
    def claims(self) -> WriteClaims | None:
        """The writer that asks the language model for claims; None without one."""
        return self.with_llm(
            lambda llm: WriteClaims(
                llm=llm, max_passages=self.chosen.passages, max_tokens=self.answer_tokens
            )
        )

    @property
    def answer_tokens(self) -> int:
        """The tokens that an answer may take to decode: its words, and the JSON around them."""
        words = self.resources.settings.answer_tokens
        return WriteClaims.max_tokens if words is None else words + TOKENS_AROUND_CLAIM

    @property
    def write(self) -> Write:
        """The LLM writer with the extractive writer as its fallback, or the latter alone."""
        if self.claims is None:
            return self.quote
        writes = WriteAndPrepare(write=self.claims, verify=self.resources.verify)
        return WriteOrQuote(write=writes, quote=self.quote)

    @property
    def check(self) -> VerifyDraft:
        """The verifier; the LLM judge runs once, at the end of the run."""
        return VerifyDraft(verify=self.resources.verify)

    def with_llm(self, stage: Callable[[LLM], Stage], wanted: bool = True) -> Stage | None:
        """A stage that needs the language model; None without one, or if it is not wanted."""
        return None if self.resources.llm is None or not wanted else stage(self.resources.llm)

    def distil(self, wanted: bool) -> Distil | None:
        """The stage that keeps only the strips of passages that help; None if not wanted."""
        return Distil(grader=self.resources.grade.grader) if wanted else None

    def fallback_search(self, wanted: bool) -> Searcher | None:
        """The search elsewhere that the settings name; None without one, or if not wanted."""
        return (
            self.resources.fallback_search.under(self.scope)
            if wanted and self.resources.fallback_search
            else None
        )
