"""Questions on manuals: rows for a grader that is to tell which passage and sentence answers.

Encyclopedias do not teach it: a manual's passages are all about the same thing, and the user asks
in other words than it uses. The questions are our own (`manuals.jsonl`); the manuals are packages
of Debian, of which none is in the suite `manuals`. A question names the file that answers it, and
a few words of the sentence that does.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from upheld.errors import NotFoundError
from upheld.generation.candidates import Candidate, sentences_of
from upheld.types import Passage
from upheld_lab.bench.metrics import answer_in
from upheld_lab.bench.pack import lot
from upheld_lab.bench.report import Watch
from upheld_lab.bench.split import Split
from upheld_lab.bench.suites import suite as suites
from upheld_lab.bench.suites.manuals import as_document
from upheld_lab.bench.suites.read_once import ReadOnce
from upheld_lab.bench.suites.suite import GoldText, Suite
from upheld_lab.bench.vectors import VectorCache, default_cache
from upheld_lab.training.grader.candidates import candidates, drawn, is_telling, tells_nothing
from upheld_lab.training.grader.examples import Example
from upheld_lab.training.grader.questions import Asked

QUESTIONS, SET = "manuals.jsonl", "manuals"
SHARE = "usr/share/doc"  # where Debian puts manuals
DEV_BELOW = 0.15  # of the packages: they choose
FOUND, BESIDE, SENTENCES = 4, 1, 3  # negatives of a question: found, next to gold, single sentences
VALUE = 4  # letters of an answer that is told from words around it
RARE = 8  # letters of an answer that does not stand in other passages by chance


@dataclass(frozen=True, slots=True)
class ManualQuestion:
    """A question, the file with its answer, and words of the sentence that gives it."""

    package: str
    file: str  # below /usr/share/doc
    text: str
    kind: str
    phrase: str
    answers: tuple[str, ...]

    @property
    def split(self) -> Split:
        return Split.DEV if lot("manuals", self.package) < DEV_BELOW else Split.TRAIN


def read_questions() -> list[ManualQuestion]:
    """The questions that ship with this package."""
    file = resources.files("upheld_lab.training.grader") / QUESTIONS
    rows = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return [
        ManualQuestion(
            row["package"],
            row["file"],
            row["question"],
            row["kind"],
            row["phrase"],
            tuple(row["answers"]),
        )
        for row in rows
    ]


async def manual_examples(
    root: Path, vectors: VectorCache, watch: Watch, split: Split, dice: random.Random
) -> list[Example]:
    """Rows of one side; raises `NotFoundError` where a manual is not installed below `root`."""
    questions = [each for each in read_questions() if each.split is split]
    by_file = _passages(questions, root / SHARE)
    of_package = _by_package(questions, by_file)
    asked = [_asked(each, of_package[each.package]) for each in questions]
    every = [each for some in by_file.values() for each in some]
    hard = await candidates(asked, every, vectors, watch)
    return [
        example
        for question, one, near in zip(questions, asked, hard, strict=True)
        if any(each.id in one.gold for each in by_file[question.file])
        for example in examples_of(question, one, by_file[question.file], near, dice)
    ]


def manual_suite(root: Path) -> Suite:
    """The questions of dev packages over their pages, to fit how quotes are chosen."""
    questions = [each for each in read_questions() if each.split is Split.DEV]
    by_file = {
        file: tuple(as_document(file, each) for each in some)
        for file, some in _passages(questions, root / SHARE).items()
    }
    of_package = _by_package(questions, by_file)
    asked = [
        suites.Asked(
            f"{SET}/{each.package}/{number}",
            SET,
            each.text,
            gold=_asked(each, of_package[each.package]).gold,
            answerable=True,
            gold_text=_gold_text(each),
        )
        for number, each in enumerate(questions)
    ]
    passages = (each for some in by_file.values() for each in some)
    return Suite("own manuals", tuple(asked), tuple(passages), {})


def _gold_text(question: ManualQuestion) -> GoldText:
    """A value that only a right sentence has, or the words of that sentence."""
    yes = {"yes": True, "no": False}.get(" ".join(question.answers).casefold())
    values = tuple(each for each in question.answers if yes is None and len(each) >= VALUE)
    return GoldText(values, ((question.phrase,),), yes)


def _by_package(
    questions: Sequence[ManualQuestion], by_file: Mapping[str, Sequence[Passage]]
) -> dict[str, list[Passage]]:
    files = {each.file: each.package for each in questions}
    found: dict[str, list[Passage]] = {}
    for file, package in files.items():
        found.setdefault(package, []).extend(by_file[file])
    return found


def _asked(question: ManualQuestion, manual: Sequence[Passage]) -> Asked:
    """With its gold: some manuals say a thing on two pages, word for word.

    There is none where the reader cut the sentence in two.
    """
    gold = frozenset(each.id for each in manual if question.phrase in each.text)
    rare = tuple(each for each in question.answers if len(each) >= RARE)
    return Asked(SET, question.text, rare, gold, frozenset())


def examples_of(
    question: ManualQuestion,
    asked: Asked,
    own: Sequence[Passage],
    near: Sequence[Passage],
    dice: random.Random,
) -> Iterator[Example]:
    """The passage that answers and its sentence, against what is found and what stands beside."""
    place = next(at for at, each in enumerate(own) if each.id in asked.gold)
    around = (*own[place - 1 : place], *own[place + 1 : place + 2])
    beside = [each for each in around if tells_nothing(each, asked)]
    negatives = drawn(near, FOUND, dice)
    negatives += dice.sample(beside, min(BESIDE, len(beside)))
    yield Example(question.text, own[place].searchable, True, SET)
    for each in negatives:
        yield Example(question.text, each.searchable, False, SET)
    yield from _sentences(question, own[place], negatives, dice)


def _sentences(
    question: ManualQuestion, gold: Passage, negatives: Sequence[Passage], dice: random.Random
) -> Iterator[Example]:
    """The sentence that answers, others of its passage, and some of the negatives."""
    source = f"{SET} sentences"
    parts = sentences_of([gold])
    right = [each for each in parts if question.phrase in each.text]
    if not right or len(parts) < 2:
        return
    yield Example(question.text, right[0].alone.searchable, True, source)
    others = [each for each in parts if each not in right and not _states(question, each)]
    elsewhere = sentences_of(list(negatives[:2]))
    chosen = dice.sample(others, min(SENTENCES, len(others)))
    chosen += dice.sample(elsewhere, min(SENTENCES, len(elsewhere)))
    for each in chosen:
        yield Example(question.text, each.alone.searchable, False, source)


def _states(question: ManualQuestion, candidate: Candidate) -> bool:
    return answer_in(candidate.text, filter(is_telling, question.answers))


def _passages(questions: Sequence[ManualQuestion], docs: Path) -> Mapping[str, tuple[Passage, ...]]:
    packages = {each.file: each.package for each in questions}
    missing = sorted({name for file, name in packages.items() if not (docs / file).is_file()})
    if missing:
        raise NotFoundError(
            f"These manuals are not installed: {', '.join(missing)}.",
            help=f"apt-get install --no-install-recommends {' '.join(missing)}",
        )
    contents = {file: (Path(file).name, (docs / file).read_bytes()) for file in sorted(packages)}
    return ReadOnce(default_cache())(contents)
