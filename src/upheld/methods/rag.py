"""Plain RAG, the baseline of all four papers: search, then write one cited answer."""

from __future__ import annotations

from dataclasses import dataclass

from upheld.generation.fallback import Write
from upheld.ports import Searcher
from upheld.run.trace import current_run
from upheld.types import Draft, Question


@dataclass(frozen=True, kw_only=True)
class RAG:
    """One search and at most one LLM call."""

    search: Searcher  # its `limit` is the paper's n: CoV-RAG and A2R give the writer 5, FaVe 3
    write: Write

    async def __call__(self, question: Question) -> Draft:
        evidence = await self.search(question)
        draft = await self.write(question, evidence)
        current_run().offer(draft)
        return draft
