"""Parts and parameters become a method; the stages that several methods share."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from upheld.errors import UsageError
from upheld.generation.extract import ExtractiveWriter
from upheld.generation.fallback import Write, WriteAndPrepare, WriteOrQuote
from upheld.generation.short_answer import ShortAnswer
from upheld.generation.write import TOKENS_AROUND_CLAIM, WriteClaims
from upheld.methods.parameters import Parameters, UpheldParameters
from upheld.methods.rag import RAG
from upheld.methods.registry import MakeMethod, Method, method_name
from upheld.ports import LLM, Grader, Searcher
from upheld.prompts import Prompt, load
from upheld.resources.open import Resources
from upheld.retrieval.distil import Distil
from upheld.retrieval.rerank import Rerank
from upheld.retrieval.search import OwnSearch, Search
from upheld.run.calls import or_default_if_over_budget
from upheld.run.trace import current_run
from upheld.text.short_answers import is_short
from upheld.types import Draft, Question, Scope
from upheld.verification.verify_draft import VerifyDraft

Stage = TypeVar("Stage")
_SHAPE = "A method is given the stages and returns an async function from Question to Draft."


def build(
    parts: Resources, scope: Scope, chosen: Parameters, method: str | MakeMethod = ""
) -> Method:
    """Build the method for one request: your own, or the one that the parameters belong to."""
    stages = StageFactory(parts, scope, chosen)
    built = _built(stages, method)
    if chosen.relevance_gate and not isinstance(chosen, UpheldParameters):  # which has its own
        from upheld.methods.builders import gated

        built = gated(stages, built)
    if not chosen.short:
        return built
    short_answer = stages.with_llm(lambda llm: ShortAnswer(llm=llm, check=stages.check))
    return WithShortAnswer(answer=built, short_answer=short_answer)


def _built(stages: StageFactory, method: str | MakeMethod) -> Method:
    if not isinstance(method, str):
        return _own(method, stages)
    if type(stages.chosen) is Parameters:
        return RAG(search=stages.search(), write=stages.write)
    from upheld.methods.builders import build_method  # a third of what `ask` imports

    return build_method(stages, stages.chosen)


@dataclass(frozen=True, kw_only=True)
class WithShortAnswer:
    """A method, and the short answer as its last stage: one more LLM call.

    Without a language model, the first quote has the value that is asked for before it, or none.
    """

    answer: Method
    short_answer: ShortAnswer | None

    async def __call__(self, question: Question) -> Draft:
        run = current_run()
        draft = await self.answer(question)
        run.offer(draft, run.best_score)  # stays the answer if a timeout follows
        if self.short_answer is None:
            if not any(is_short(claim.text) for claim in draft.claims[:1]):
                run.degrade("no language model: there is no short answer")
            return draft
        short = await or_default_if_over_budget(self.short_answer(draft), draft)
        run.offer(short, run.best_score)
        return short


def _own(method: MakeMethod, stages: StageFactory) -> Method:
    """Build the caller's own method; raises UsageError if it does not have the right shape."""
    name = method_name(method)
    answer: Any = method(stages)  # of any type: the caller's code may not be type-checked
    if inspect.iscoroutine(answer):  # `async def method(question)`, without the function around it
        answer.close()
    if not callable(answer):
        raise UsageError(f"{name} does not return a function.", help=_SHAPE)

    async def checked(question: Question) -> Draft:
        draft: Any = answer(question)
        if not inspect.isawaitable(draft):
            raise UsageError(f"The function that {name} returns is not async.", help=_SHAPE)
        draft = await draft
        if not isinstance(draft, Draft):
            given = type(draft).__name__
            raise UsageError(f"{name} answers with {given}, not with a Draft.", help=_SHAPE)
        return draft

    return checked


@dataclass(frozen=True, slots=True)
class StageFactory:
    """Builds the stages of a method for one request: its scope, parameters and resources.

    >>> def search_and_write(stages: StageFactory) -> Method:
    ...     async def answer(question: Question) -> Draft:
    ...         return await stages.write(question, await stages.search()(question))
    ...     return answer
    >>> kb.ask("When does the lighthouse open?", method=search_and_write)
    """

    resources: Resources
    scope: Scope
    chosen: Parameters
    rules: Prompt = field(default_factory=lambda: load("write"))  # of the writer
    longest_answer: int = WriteClaims.max_tokens  # in tokens; `answer_tokens` of the settings wins

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
                llm=llm,
                prompt=self.rules,
                max_passages=self.chosen.passages,
                max_tokens=self.answer_tokens,
            )
        )

    @property
    def answer_tokens(self) -> int:
        """The tokens that an answer may take to decode: its words, and the JSON around them."""
        words = self.resources.settings.answer_tokens
        return self.longest_answer if words is None else words + TOKENS_AROUND_CLAIM

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
        return _asking(self.resources.llm if wanted else None, stage)

    def with_planner(self, stage: Callable[[LLM], Stage], wanted: bool = True) -> Stage | None:
        """A stage that plans: with the planner's model if the settings name one, else the LLM."""
        llm = self.resources.planner or self.resources.llm
        return _asking(llm if wanted else None, stage)

    def with_checker(self, stage: Callable[[LLM], Stage], wanted: bool = True) -> Stage | None:
        """A stage that judges: with the checker's model if the settings name one, else the LLM."""
        llm = self.resources.checker or self.resources.llm
        return _asking(llm if wanted else None, stage)

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


def _asking(llm: LLM | None, stage: Callable[[LLM], Stage]) -> Stage | None:
    return None if llm is None else stage(llm)
