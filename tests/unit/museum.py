"""Parts for tests of our own method: four documents, a scripted model, everything put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel

from tests.unit.shelf import writer
from upheld.errors import LLMOutputError
from upheld.generation.extract import ExtractiveWriter
from upheld.generation.refine import Restate
from upheld.generation.write import Claims
from upheld.methods.by_diagnosis.conflict_detector import ConflictDetector
from upheld.methods.by_diagnosis.final_checks import FinalChecks, RelevanceGate
from upheld.methods.by_diagnosis.method import ByDiagnosis
from upheld.planning.plan import Plan, SubQuestions
from upheld.ports import Message, Searcher
from upheld.retrieval.grade import Grade
from upheld.retrieval.rewrite import KeyPhrases, Rewrite
from upheld.retrieval.search import Search
from upheld.run.budget import Budget
from upheld.run.trace import Run, start_run
from upheld.testing.index_samples import OWNER, made
from upheld.types import Draft, Event, Evidence, Question, SearchMode, Support
from upheld.verification.verify import Verify
from upheld.verification.verify_draft import VerifyDraft
from upheld_lab.testing.fake_entailment import FakeEntailment
from upheld_lab.testing.fake_grader import FakeGrader
from upheld_lab.testing.fake_index import FakeIndex
from upheld_lab.testing.fake_llm import FakeLLM, Line

MUSEUM = {
    "opened": "The museum opened in 1881 on Cromwell Road.",
    "whale": "A blue whale hangs in the main hall of the museum.",
    "entry": "Entry to the museum is free on every day of the year.",
    "leader": "Okafor has led the museum since 2016.",
}
OPEN, LEAD, COST = (
    "When was the museum opened?",
    "Who has led the museum?",
    "What is the entry to the museum?",
)
ASK = Question(OPEN)
PARTS = Question("When was the museum opened, who has led it, and what is the entry to it?")
OPENED = "The museum opened in 1881."
MONDAY = "The museum opened on a Monday."
LATE = "The museum opened in 1882."
LED = "Okafor has led the museum since 2016."
FREE = "Entry to the museum is free."


@dataclass
class Says:
    """A scripted model: what it plans, writes for a question and restates for a claim."""

    writes: Mapping[str, Line] = field(default_factory=dict)
    restates: Mapping[str, Line] = field(default_factory=dict)
    plans: Sequence[str] = (OPEN, LEAD, COST)
    phrases: Sequence[str] = ("house", "director")

    def __call__(self, messages: Sequence[Message], output: type[BaseModel] | None) -> Line:
        assert output is not None
        if issubclass(output, SubQuestions):
            return {"questions": list(self.plans)}
        if issubclass(output, KeyPhrases):
            return {"phrases": list(self.phrases)}
        assert issubclass(output, Claims)
        last = messages[-1].content
        if last.startswith("This claim was checked"):
            (before,) = Claims.model_validate_json(messages[-2].content).claims
            return self.restates.get(before.text, LLMOutputError("not in the script"))
        asked = last.rpartition("Question: ")[2]
        return self.writes.get(asked, LLMOutputError("not in the script"))


def method(search: Searcher, llm: FakeLLM | None, **changes: Any) -> ByDiagnosis:
    """The method on fakes; without a language model, with quotes."""
    grader = FakeGrader()
    check = VerifyDraft(verify=Verify(model=FakeEntailment()))
    whole = ByDiagnosis(
        search=search,
        grade=Grade(grader=grader, upper=0.3, lower=-0.5),
        distil=None,
        rewrite=None if llm is None else Rewrite(llm=llm),
        fallback_search=None,
        plan=None if llm is None else Plan(llm=llm, sessions=1, temperature=0, max_questions=4),
        write=ExtractiveWriter() if llm is None else writer(llm),
        restate=None if llm is None else Restate(llm=llm),
        check=check,
        final_checks=FinalChecks(
            relevance_gate=RelevanceGate(grader=None, embedder=None, quote=None, check=check),
            detect_conflicts=ConflictDetector(search=search, grader=None),
        ),
    )
    return replace(whole, **changes)


async def ask(
    whole: ByDiagnosis, question: Question = ASK, budget: Budget | None = None
) -> tuple[Draft, Run]:
    with start_run(budget) as run:
        draft = await whole(question)
    assert run.best is draft
    return draft, run


def supports(draft: Draft) -> list[Support]:
    return [claim.verdict.support for claim in draft.claims]


def repairs(run: Run) -> list[Event]:
    return [event for event in run.events if event.stage == "repair"]


@dataclass
class Asked:
    """A searcher that remembers its queries; without one, it finds nothing."""

    search: Searcher | None = None
    queries: list[str] = field(default_factory=list)

    async def __call__(self, question: Question) -> Evidence:
        self.queries.append(question.text)
        return Evidence() if self.search is None else await self.search(question)


async def shelf(documents: Mapping[str, str], limit: int = 5) -> Asked:
    """Documents of one passage each, searched by their words."""
    index = FakeIndex()
    await index.upsert(OWNER.collection, [made(name, text) for name, text in documents.items()])
    return Asked(Search(index=index, scope=OWNER, mode=SearchMode.BM25, limit=limit))


def by_word(usual: Searcher, word: str, other: Searcher) -> Searcher:
    """A search that finds elsewhere what has a word in its query."""

    async def search(question: Question) -> Evidence:
        return await (other if word in question.text else usual)(question)

    return search
