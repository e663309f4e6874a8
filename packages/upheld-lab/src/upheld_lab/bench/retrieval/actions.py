"""Whether the grader knows when search has failed: its actions with gold and without it.

The same cases, of dev questions, are what a grader's thresholds are fitted on.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from upheld.calibration.grading import Case, decisions
from upheld.edge.onnx.embedder import LocalEmbedder
from upheld.fusion import CANDIDATES, fuse
from upheld.ports import Grader
from upheld.retrieval.grade import Action, Grade, relevances
from upheld.types import Hit, Passage, Question, SearchMode
from upheld_lab.bench.corpus import BenchQuestion
from upheld_lab.bench.judgements import KeptGrades
from upheld_lab.bench.metrics import answer_in
from upheld_lab.bench.prepared import Choice, Prepared, prepare, search
from upheld_lab.bench.report import Row, Watch
from upheld_lab.bench.split import Split

if TYPE_CHECKING:
    from upheld.ports import Vector


SEEN = 10  # passages that the action rests on
ALL = "all"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The best score that a question's passages get, with its gold and with the gold taken out."""

    there: float
    out: float
    answer_left: bool  # an answer string stands in what is found without gold

    @property
    def cases(self) -> tuple[Case, Case]:
        return Case(self.there, helps=True), Case(self.out, helps=False)


async def outcomes(
    ready: Prepared, grader: Grader | None, watch: Watch
) -> dict[str, list[Outcome]]:
    """Of the questions whose gold is among the first ten, by set."""
    found: dict[str, list[Outcome]] = {}
    for name, asked in ready.questions.items():
        found[name] = []
        for done, (question, vector) in enumerate(
            zip(asked, ready.vectors[name], strict=True), start=1
        ):
            hits = await search(ready.index, SearchMode.HYBRID, question.text, vector)
            seen = [hit.passage for hit in hits[:SEEN]]
            if any(passage.id in question.gold for passage in seen):
                without = await _without_gold(ready, question, vector)
                found[name].append(
                    Outcome(
                        await _best(grader, question, seen),
                        await _best(grader, question, without),
                        any(answer_in(passage.text, question.answers) for passage in without),
                    )
                )
            watch(f"acting on {name}", done, len(asked))
    return found


def action_rows(of_sets: Mapping[str, Sequence[Outcome]], grade: Grade) -> list[Row]:
    """What the stage does with gold and without, by set; of all; of those it is fair to ask.

    Gold is what annotators marked. Where another passage has the answer too, "correct" is right
    without gold as well: the last row leaves these questions out.
    """
    every = [each for of_set in of_sets.values() for each in of_set]
    fair = [each for each in every if not each.answer_left]
    parts = {**of_sets, ALL: every, f"{ALL}, no answer left": fair}
    return [_row(name, some, grade) for name, some in parts.items() if some]


def _row(name: str, some: Sequence[Outcome], grade: Grade) -> Row:
    row: Row = {"set": name, "n": len(some), "mode": f"action on {SEEN}"}
    for told, scores in (
        ("gold there", [each.there for each in some]),
        ("gold out", [each.out for each in some]),
    ):
        actions = [grade.action([score]) for score in scores]
        for action in Action:
            row[f"{told}: {action}"] = actions.count(action) / len(actions)
    on = decisions([case for each in some for case in each.cases], grade.upper, grade.lower)
    return row | {"decided": on.decided, "balanced accuracy": on.accuracy}


async def _best(
    grader: Grader | None, question: BenchQuestion, passages: Sequence[Passage]
) -> float:
    scores = await relevances(grader, "grade", Question(question.text), passages, "not graded")
    if not scores:
        raise RuntimeError("a bench without grades")  # they are what it measures
    return max(scores)


async def _without_gold(ready: Prepared, question: BenchQuestion, vector: Vector) -> list[Passage]:
    """Hybrid's first ten if the index had no gold, but for the word counts that BM25 keeps."""
    deep = CANDIDATES + len(question.gold)
    lists = [
        [hit for hit in hits if hit.passage.id not in question.gold][:CANDIDATES]
        for hits in (
            await search(ready.index, SearchMode.BM25, question.text, vector, deep),
            await search(ready.index, SearchMode.NEAREST, question.text, vector, deep),
        )
    ]
    lexical, nearest = lists
    fused = fuse(lexical, nearest, SEEN, cosines=_cosines(ready, lexical, vector))
    return [hit.passage for hit in fused]


def _cosines(ready: Prepared, hits: Sequence[Hit], vector: Vector) -> dict[str, float]:
    return {hit.passage.id: float(ready.embedded[hit.passage.id] @ vector) for hit in hits}


async def cases_of_dev(data: Path, cache: Path, grader: Grader, watch: Watch) -> list[Case]:
    """Two cases a dev question of the data pack, if its gold is found."""
    embedder = LocalEmbedder()
    kept = KeptGrades(grader, cache / "judgements.sqlite")
    choice = Choice(data, cache, split=Split.DEV)
    try:
        with tempfile.TemporaryDirectory() as folder:
            ready = await prepare(choice, embedder, folder, watch)
            try:
                found = await outcomes(ready, kept, watch)
            finally:
                await ready.index.close()
    finally:
        await kept.close()
        await embedder.close()
    return [case for of_set in found.values() for each in of_set for case in each.cases]
