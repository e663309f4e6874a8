"""Questions with gold, and the passages to show with them: the data pack's, or your own.

Both keep the sides of the split apart: a question is on the side of its gold article, and with it
only passages of that side are shown, so that no text of a test article trains.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

from upheld.errors import UsageError
from upheld.methods.build import StageFactory
from upheld.methods.parameters import Parameters
from upheld.resources.open import Resources
from upheld.run.trace import start_run
from upheld.types import Passage, Question, Scope
from upheld_lab.bench.corpus import Corpus, load
from upheld_lab.bench.metrics import normalise
from upheld_lab.bench.pack import lot, rows
from upheld_lab.bench.retrieval.reference import ReferenceBM25
from upheld_lab.bench.split import SIDES, Split, article, split_of_article, split_of_question
from upheld_lab.bench.suites.files import pack_file
from upheld_lab.bench.suites.own import load_own
from upheld_lab.bench.suites.unanswerable import SQUAD2_FILE

SETS = ("squad11", "nq")  # one passage answers, and people marked which
_UNANSWERABLE = 0.2  # of SQuAD 2's questions without an answer; more would teach to abstain
_DEEPER = 10  # times as many hits of your knowledge base are read: most are of the other sides


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question with its answers and the passages that hold them; both empty if nothing does."""

    id: str
    text: str
    answers: tuple[str, ...]
    gold: frozenset[str]
    article: str  # what must not be on both sides of a split
    split: Split


class Source(Protocol):
    """Where questions and passages come from."""

    async def questions(self, sides: Sequence[Split] = SIDES) -> list[GoldQuestion]:
        """The questions of some sides; by default of those that train and that choose."""
        ...

    async def search(
        self, queries: Sequence[str], side: Split, limit: int
    ) -> list[tuple[Passage, ...]]:
        """The best passages of one side for each query."""
        ...

    async def passages(self, ids: Iterable[str]) -> dict[str, Passage]:
        """The passages with these ids; gold is among them."""
        ...


class PackSource:
    """SQuAD and Natural Questions over the data pack's passages, searched by BM25."""

    def __init__(self, data: Path) -> None:
        self._data = data

    @cached_property
    def _corpus(self) -> Corpus:
        return load(self._data)

    async def questions(self, sides: Sequence[Split] = SIDES) -> list[GoldQuestion]:
        return without_leaks([*self._answerable(), *self._unanswerable()], sides)

    async def search(
        self, queries: Sequence[str], side: Split, limit: int
    ) -> list[tuple[Passage, ...]]:
        return [tuple(found) for found in self._index(side).search(queries, limit)]

    async def passages(self, ids: Iterable[str]) -> dict[str, Passage]:
        return {id: self._corpus.passages[id] for id in ids}

    def _index(self, side: Split) -> ReferenceBM25:
        if side not in (known := self._indexes):
            of_side = (
                each
                for each in self._corpus.passages.values()
                if split_of_article(each.title) is side
            )
            known[side] = ReferenceBM25(list(of_side))
        return known[side]

    @cached_property
    def _indexes(self) -> dict[Split, ReferenceBM25]:
        return {}

    def _answerable(self) -> Iterator[GoldQuestion]:
        for name in SETS:
            for each in self._corpus.questions[name]:
                titles = frozenset(self._corpus.passages[id].title for id in each.gold)
                if all(split_of_article(title) is each.split for title in titles):
                    first = min(map(article, titles))
                    id = f"{name}/{each.id}"
                    yield GoldQuestion(id, each.text, each.answers, each.gold, first, each.split)

    def _unanswerable(self) -> Iterator[GoldQuestion]:
        for row in rows(pack_file(self._data, SQUAD2_FILE)):
            if not row["answerable"] and lot("unanswerable", row["qid"]) < _UNANSWERABLE:
                titles = frozenset(self._corpus.passages[id].title for id in row["gold_pids"])
                split = split_of_question("squad2", titles)
                id = f"squad2/{row['qid']}"
                none = frozenset[str]()
                yield GoldQuestion(
                    id, row["question"].strip(), (), none, min(map(article, titles)), split
                )


class OwnSource:
    """Your questions, lines of `question`, `answers` and `gold`, over your knowledge base."""

    def __init__(self, questions: Path, parts: Resources) -> None:
        self._file, self._parts = questions, parts
        self._scope = Scope(parts.settings.collection)

    async def questions(self, sides: Sequence[Split] = SIDES) -> list[GoldQuestion]:
        asked = [
            each
            for each in load_own(self._file).questions
            if (each.answers and each.gold) or each.answerable is False
        ]
        ids = frozenset().union(*(each.gold for each in asked))
        passages = await self.passages(ids)
        if missing := sorted(ids - passages.keys()):
            raise UsageError(
                f"{self._file.name}: {len(missing)} gold passages are not in {self._scope}: "
                f"{', '.join(missing[:3])}",
                help="`gold` names passages by id, as `Upheld.search` returns them.",
            )
        found = []
        for each in asked:
            documents = {passages[id].document_id for id in each.gold} or {each.id}
            first = min(map(article, documents))
            if len({split_of_article(name) for name in documents}) == 1:
                side = split_of_article(first)
                found.append(GoldQuestion(each.id, each.text, each.answers, each.gold, first, side))
        return without_leaks(found, sides)

    async def search(
        self, queries: Sequence[str], side: Split, limit: int
    ) -> list[tuple[Passage, ...]]:
        plain = Parameters.model_validate({"search": self._parts.settings.search})
        search = StageFactory(self._parts, self._scope, plain).found(_DEEPER * limit)
        found = []
        for query in queries:
            with start_run():
                hits = await search(Question(query))
            of_side = [each for each in hits.passages if split_of_article(each.document_id) is side]
            found.append(tuple(of_side[:limit]))
        return found

    async def passages(self, ids: Iterable[str]) -> dict[str, Passage]:
        found = await self._parts.index.passages(sorted(ids), self._scope)
        return {each.id: each for each in found}


def without_leaks(
    questions: Iterable[GoldQuestion], sides: Sequence[Split] = SIDES
) -> list[GoldQuestion]:
    """The questions of these sides, each wording once and on one side of all only."""
    sides_of = defaultdict[str, set[Split]](set)
    by_text: dict[str, GoldQuestion] = {}
    for each in questions:
        sides_of[normalise(each.text)].add(each.split)
        by_text.setdefault(normalise(each.text), each)
    kept = [
        each for text, each in by_text.items() if len(sides_of[text]) == 1 and each.split in sides
    ]
    return sorted(kept, key=lambda each: lot("cov-rag", each.id))
