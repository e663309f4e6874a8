"""An island's documents, and parts that play along, come late, fail or spoil their reply by chance.

All chance comes from one `Random`: the same seed on a loop with virtual time is the same run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from pydantic import BaseModel

from upheld.assessment.feedback import Advice
from upheld.errors import (
    EngineError,
    LLMError,
    LLMOutputError,
    LLMRejectedError,
    LLMUnavailableError,
    WebUnavailableError,
)
from upheld.generation.short_answer import Short
from upheld.generation.write import Claims
from upheld.ingest.chunk import Chunker
from upheld.ingest.worker import ReadWorker
from upheld.planning.next_question import Next
from upheld.planning.plan import SubQuestions
from upheld.planning.select import Serves
from upheld.ports import Filter, IndexedDocument, Message, Output, Reply, Sampling, Searcher
from upheld.resources.fallback_search import FallbackSearch
from upheld.resources.open import Resources
from upheld.retrieval.grade import Grade
from upheld.retrieval.rewrite import KeyPhrases
from upheld.retrieval.search import Search
from upheld.settings import load_settings
from upheld.types import (
    Document,
    Evidence,
    Hit,
    Passage,
    Question,
    Scope,
    SearchMode,
    passage_id,
)
from upheld.verification.chain import Chain, Direct
from upheld.verification.llm_judge import JudgeUncertain, Words
from upheld.verification.verify import Verify
from upheld_lab.testing.fake_embedder import FakeEmbedder
from upheld_lab.testing.fake_entailment import FakeEntailment, Fault
from upheld_lab.testing.fake_grader import FakeGrader
from upheld_lab.testing.fake_index import FakeIndex
from upheld_lab.testing.fake_llm import FakeLLM, Line

ISLAND = {
    "ferry": "The ferry to Harrow takes 35 minutes. Dogs travel free of charge. The ferry sails at "
    "nine. Cars are not carried on the ferry. A ticket for the ferry costs 12 pounds.",
    "lighthouse": "The lighthouse of Harrow was built in 1874 by Agnes Tolliver. The lighthouse "
    "opens at nine. Its lamp is 41 metres above the sea.",
    "museum": "The museum of Harrow opened in 1881. Entry to the museum is free. Okafor has led "
    "the museum since 2016.",
    "leaflet": "The museum of Harrow opened in 1882. The lighthouse was not built in 1874.",
    "puffins": "In 2023 the warden counted 2340 pairs of puffins on Harrow. Puffins nest in May.",
}
MAINLAND = {
    "port": "Ferries to Harrow leave from the port of Selby. The port of Selby was dug in 1840.",
    "keeper": "Agnes Tolliver was born in Selby. Agnes Tolliver died in 1902.",
}
TEXTS = {**ISLAND, **MAINLAND}
QUESTIONS = (
    "How long does the ferry take?",
    "Who built the lighthouse of Harrow?",
    "When did the museum open, who has led it, and what is the entry?",
    "When was the lighthouse built and when did the museum of Harrow open?",
    "Which enzyme breaks down lactose?",
    "Do cars, dogs and puffins travel free of charge on the ferry?",
)
QUERIES = (
    "What does a ticket for the ferry cost?",
    "When does the lighthouse open?",
    "Who has led the museum?",
    "Where was Agnes Tolliver born?",
    "How many pairs of puffins were counted?",
    "  ",
)
SAYINGS = (
    "The ferry to Harrow takes 35 minutes.",
    "The ferry takes 36 minutes.",  # contradicted
    "The lighthouse of Harrow was built in 1874 by Agnes Tolliver.",
    "The museum of Harrow opened in 1881.",  # two documents disagree
    "Entry to the museum is free. Okafor has led the museum since 2016. [3]",
    "Zebras graze near the quarry on Sundays.",  # unsupported
    "Agnes Tolliver was born in Selby.",
    "Is that so?",
    "[1]",
    "",
)


def passages_of(name: str) -> tuple[Document, tuple[Passage, ...]]:
    """A document, cut into passages of two sentences and more."""
    text = TEXTS[name]
    document = Document(name, f"{name}.txt", name.title(), text, "")
    middle = text.find(". ", len(text) // 2) + 2
    cuts = [(0, len(text))] if middle < 2 else [(0, middle), (middle, len(text))]
    version = document.version
    return document, tuple(
        Passage(
            passage_id(name, version, start, end), text[start:end], name, version, start, end, name
        )
        for start, end in cuts
    )


async def indexed(index: FakeIndex, embedder: FakeEmbedder) -> None:
    """The island in the default collection, the mainland in one beside it."""
    for collection, names in (("default", ISLAND), ("mainland", MAINLAND)):
        for name in names:
            document, passages = passages_of(name)
            vectors = await embedder.embed([each.searchable for each in passages])
            await index.upsert(collection, [IndexedDocument(document, passages, vectors)])


@dataclass(frozen=True, kw_only=True)
class Luck:
    """How often each part fails, and how long it takes; seconds are virtual."""

    dice: Random
    llm: float = 0.0
    malformed: float = 0.0
    engine: float = 0.0
    nothing: float = 0.0
    latency: float = 0.0
    hangs: bool = False  # only where something ends the wait

    async def wait(self) -> None:
        await asyncio.sleep(self.dice.random() * self.latency)


class ScriptedLLM(FakeLLM):
    """Says something that fits to every stage, but for its faults."""

    def __init__(self, luck: Luck) -> None:
        super().__init__(self._play)
        self._luck = luck

    async def generate(
        self, messages: Sequence[Message], output: type[Output], sampling: Sampling = Sampling()
    ) -> Reply[Output]:
        await self._luck.wait()
        if self._luck.hangs and self._luck.dice.random() < self._luck.llm / 4:
            await asyncio.Event().wait()
        return await super().generate(messages, output, sampling)

    def _play(self, messages: Sequence[Message], output: type[BaseModel] | None) -> Line:
        assert output is not None
        dice = self._luck.dice
        if dice.random() < self._luck.llm:
            return dice.choice(LLM_FAULTS)()
        if dice.random() < self._luck.malformed:
            return dice.choice(("", "{", "null", '{"claims": 3}', "Certainly! Here it is:", "[]"))
        return _said(dice, output)


LLM_FAULTS: Sequence[Callable[[], LLMError]] = (
    lambda: LLMUnavailableError("overloaded"),
    lambda: LLMUnavailableError("timed out"),
    lambda: LLMRejectedError("the prompt is too long"),
    lambda: LLMOutputError("cut off"),
)


def _said(dice: Random, output: type[BaseModel]) -> Line:
    """Something in the schema, good or bad."""

    def some(things: Sequence[str], most: int) -> list[str]:
        return [dice.choice(things) for _ in range(dice.randint(0, most))]

    def query() -> str:
        return dice.choice((*QUERIES, ""))

    if issubclass(output, Claims):
        claims = [
            {"sources": [dice.randint(0, 6) for _ in range(dice.randint(0, 3))], "text": text}
            for text in some(SAYINGS, 4)
        ]
        return {"claims": claims}
    if issubclass(output, Chain):
        scores = {name: dice.random() for name, field in Chain.model_fields.items()}
        judgment = dice.choice(("true", "false", "unclear"))
        return {**scores, "judgment": judgment, "revised_question": query()}
    if issubclass(output, Direct):
        return {"revised_question": query()}
    if issubclass(output, SubQuestions):
        return {"questions": some(QUERIES, 5)}
    if issubclass(output, Next):
        return {"done": dice.random() < 0.2, "question": query()}
    if issubclass(output, Serves):
        return {"serves": some(("yes", "no"), 5)}
    if issubclass(output, Short):
        numbers = [dice.randint(0, 9) for _ in range(dice.randint(0, 3))]
        said = {"sentence": dice.choice(SAYINGS), "answer": dice.choice(("Yes", "35 minutes", ""))}
        return {"statements": numbers, **said}
    if issubclass(output, KeyPhrases):
        return {"phrases": some(QUERIES, 3)}
    if issubclass(output, Advice):
        return {"advice": some(("Say less.", " "), 4)}
    if issubclass(output, Words):
        count = output.model_json_schema()["properties"]["verdicts"]["minItems"]
        return {"verdicts": [dice.choice(("supported", "neither")) for _ in range(count)]}
    raise AssertionError(f"no stage asks for {output}")


@dataclass(slots=True)
class ShakyIndex(FakeIndex):
    """An index that comes late, finds nothing or fails."""

    luck: Luck = field(default_factory=lambda: Luck(dice=Random(0)))

    async def bm25(
        self, query: str, scope: Scope, limit: int, where: Filter = Filter()
    ) -> list[Hit]:
        return await self._shaken(FakeIndex.bm25(self, query, scope, limit, where))

    async def nearest(
        self, vector: Any, scope: Scope, limit: int, where: Filter = Filter(), *, query: str = ""
    ) -> list[Hit]:
        found = FakeIndex.nearest(self, vector, scope, limit, where, query=query)
        return await self._shaken(found)

    async def hybrid(
        self, query: str, vector: Any, scope: Scope, limit: int, where: Filter = Filter()
    ) -> list[Hit]:
        return await self._shaken(FakeIndex.hybrid(self, query, vector, scope, limit, where))

    async def _shaken(self, search: Coroutine[Any, Any, list[Hit]]) -> list[Hit]:
        found = await search
        await self.luck.wait()
        if self.luck.dice.random() < self.luck.engine:
            raise EngineError("the disk is gone")
        return [] if self.luck.dice.random() < self.luck.nothing else found


def mainland(index: FakeIndex, luck: Luck) -> FallbackSearch:
    """The fallback search: another collection, which may be out of reach."""

    def under(scope: Scope) -> Searcher:
        search = Search(
            index=index, scope=replace(scope, collection="mainland"), mode=SearchMode.BM25
        )

        async def look(question: Question) -> Evidence:
            if luck.dice.random() < luck.engine:
                raise WebUnavailableError("the site is down")
            return await search(question)

        return look

    return FallbackSearch(under)


def parts_for(luck: Luck, index: FakeIndex, *, llm: FakeLLM | None, judge: bool) -> Resources:
    """Everything that a run needs; models have the faults that the luck gives them."""
    dice = luck.dice
    faults = [fault for fault in Fault if luck.hangs or fault is not Fault.HANG]

    def some_faults() -> list[Fault | None]:
        return [dice.choice(faults) if dice.random() < luck.engine else None for _ in range(30)]

    embedder = FakeEmbedder(fail=dice.random() < luck.engine)
    entailment = None if dice.random() < 0.1 else FakeEntailment(faults=some_faults())
    grader = FakeGrader(faults=some_faults(), latency=luck.latency / 5)
    return Resources(
        settings=load_settings(),
        index=index,
        embedder=embedder,
        llm=llm,
        verify=Verify(model=entailment),
        grade=Grade(grader=None if dice.random() < 0.1 else grader, upper=0.5, lower=-0.5),
        chunker=Chunker(),
        reader=ReadWorker(),
        judge=JudgeUncertain(llm=llm, band=(0.0, 1.0)) if llm is not None and judge else None,
        fallback_search=mainland(index, luck) if dice.random() < 0.7 else None,
    )
