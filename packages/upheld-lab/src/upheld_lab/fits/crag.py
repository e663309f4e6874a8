"""CRAG's numbers on the scale of our grader: the paper's thresholds by quantile, and the strips'.

The paper's thresholds belong to its T5. What they do there is known, since others ran the authors'
T5 with them and counted the actions. On our scale a threshold stands where it gives as large a
share of dev questions the same action.

How many strips the paper's -0.5 drops, nobody has counted. That threshold is fitted on dev, where
it best tells strips that have the answer from those that have not.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from upheld.ports import Embedder, Grader
from upheld.retrieval.distil import Distil, decompose
from upheld.retrieval.grade import Action, Grade, relevances
from upheld.types import Hit, Passage, Question, SearchMode
from upheld_lab.bench.corpus import BenchQuestion
from upheld_lab.bench.manifest import manifest
from upheld_lab.bench.metrics import answer_in
from upheld_lab.bench.prepared import Choice, Prepared, prepare, search
from upheld_lab.bench.report import Report, Row, Watch
from upheld_lab.bench.retrieval.actions import ALL, SEEN
from upheld_lab.training.grader.candidates import is_telling

Strip = tuple[float, bool]  # its score, and whether it has the answer
Best = Mapping[str, Sequence[float]]  # by set: the best score of each question's passages

_SHOWN = (-0.9, -0.7, -0.5, -0.3, -0.1, 0.1, 0.3)  # beside the fitted one, in the report
_STEPS = 200  # candidate thresholds of strips


@dataclass(frozen=True, slots=True)
class Published:
    """A preset's thresholds on the T5's scale, and the shares of questions that they decide."""

    preset: str
    upper: float
    lower: float
    correct: float
    incorrect: float


PUBLISHED = (
    # PopQA, 1,385 questions with ten passages each: arXiv:2603.16169, table 3.
    Published("paper", 0.59, -0.99, correct=754 / 1385, incorrect=252 / 1385),
    # PubHealth, 987 claims with ten passages each: github.com/David-Thapa/CRAG-Reproduction.
    Published("paper_pubhealth", 0.5, -0.91, correct=0.119, incorrect=0.060),
)


@dataclass(frozen=True, slots=True)
class Cut:
    """A threshold of strips: of those that have the answer it keeps, of the others it drops."""

    drop_below: float
    kept: float
    dropped: float

    @property
    def accuracy(self) -> float:
        """Balanced over the two kinds."""
        return (self.kept + self.dropped) / 2


def on_our_scale(published: Published, best: Sequence[float]) -> tuple[float, float]:
    """Return the upper and the lower threshold that decide as many of these questions."""
    upper, lower = np.quantile(best, [1 - published.correct, published.incorrect])
    return float(upper), float(lower)


def labelled_strips(
    question: BenchQuestion, passages: Sequence[Passage]
) -> Iterator[tuple[Passage, bool]]:
    """Yield strips, and whether each has the answer; those that nobody can label are left out.

    These are the strips of a gold passage in which none or several have the answer, and those of
    another passage that has it, too.
    """
    if not any(map(is_telling, question.answers)):
        return
    for passage in passages:
        strips = [each.passage for each in decompose(Hit(passage, 0.0, ""), Distil.sentences)]
        holding = [answer_in(strip.text, question.answers) for strip in strips]
        if sum(holding) == (1 if passage.id in question.gold else 0):
            yield from zip(strips, holding, strict=True)


def cut_at(drop_below: float, strips: Sequence[Strip]) -> Cut:
    """Measure a threshold."""
    stays = np.array([score for score, _ in strips]) >= drop_below
    has = np.array([answers for _, answers in strips])
    return Cut(drop_below, float(stays[has].mean()), float((~stays[~has]).mean()))


def fitted_cut(strips: Sequence[Strip]) -> Cut:
    """Return the threshold of the best balanced accuracy; of equals, the one that drops least."""
    having = [score for score, answers in strips if answers]
    steps = np.unique(np.quantile(having, np.linspace(0, 1, _STEPS)))
    return max((cut_at(float(each), strips) for each in steps), key=lambda cut: cut.accuracy)


async def fit_crag(choice: Choice, embedder: Embedder, grader: Grader, watch: Watch) -> Report:
    """The thresholds of each preset, what they decide on each set, and the threshold of strips."""
    with tempfile.TemporaryDirectory() as folder:
        ready = await prepare(choice, embedder, folder, watch)
        try:
            best, strips = await _graded(ready, grader, watch)
        finally:
            await ready.index.close()
    cut = fitted_cut(strips)
    bars = {"drop_below": cut.drop_below}
    presets: list[Row] = []
    actions: list[Row] = []
    for each in PUBLISHED:
        upper, lower = on_our_scale(each, [score for of_set in best.values() for score in of_set])
        bars |= {f"{each.preset}.upper": upper, f"{each.preset}.lower": lower}
        told = {"preset": each.preset, "T5: upper": each.upper, "T5: lower": each.lower}
        shares = {"correct": each.correct, "incorrect": each.incorrect}
        presets.append(told | shares | {"upper": upper, "lower": lower})
        actions += _actions(each.preset, Grade(grader=grader, upper=upper, lower=lower), best)
    shown = [cut_at(each, strips) for each in _SHOWN]
    rows = [*presets, *actions, *map(_row, sorted([*shown, cut], key=lambda at: at.drop_below))]
    facts = manifest(
        data=dict(ready.corpus.hashes),
        embedder=embedder.identity,
        grader=grader.identity,
        passages=len(ready.passages),
        questions={name: len(asked) for name, asked in ready.questions.items()},
        strips={"all": len(strips), "with the answer": sum(answers for _, answers in strips)},
        split=choice.split.value,
        seed=choice.seed,
    )
    return Report("crag", bars, tuple(rows), facts)


async def _graded(ready: Prepared, grader: Grader, watch: Watch) -> tuple[Best, list[Strip]]:
    """Grade what hybrid search finds first for every question, and the strips of it."""
    best: dict[str, list[float]] = {}
    strips: list[Strip] = []
    for name, asked in ready.questions.items():
        best[name] = []
        for question, vector in zip(asked, ready.vectors[name], strict=True):
            hits = await search(ready.index, SearchMode.HYBRID, question.text, vector, SEEN)
            passages = [hit.passage for hit in hits]
            best[name].append(max(await _scores(grader, question, passages), default=-1.0))
            labelled = list(labelled_strips(question, passages))
            scores = await _scores(grader, question, [strip for strip, _ in labelled])
            strips += zip(scores, (answers for _, answers in labelled), strict=True)
            watch(f"grading {name}", len(best[name]), len(asked))
    return best, strips


async def _scores(
    grader: Grader, question: BenchQuestion, passages: Sequence[Passage]
) -> list[float]:
    scores = await relevances(grader, "grade", Question(question.text), passages, "not graded")
    if scores is None:
        raise RuntimeError("a fit without grades")  # they are what it is fitted on
    return scores


def _actions(preset: str, grade: Grade, best: Best) -> list[Row]:
    """The shares of questions that get each action, by set and of all."""
    every = [score for of_set in best.values() for score in of_set]
    rows: list[Row] = []
    for name, of_set in {**best, ALL: every}.items():
        actions = [grade.action([score]) for score in of_set]
        shares = {str(each): actions.count(each) / len(actions) for each in Action}
        rows.append({"preset": preset, "set": name, "n": len(of_set)} | shares)
    return rows


def _row(cut: Cut) -> Row:
    return {
        "strips dropped below": cut.drop_below,
        "with the answer, kept": cut.kept,
        "without, dropped": cut.dropped,
        "balanced accuracy": cut.accuracy,
    }
