"""All rows that train a grader: passages, and the strips of them that the stages show it too."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from upheld.retrieval.distil import decompose
from upheld.types import Hit, Passage
from upheld_lab.bench.corpus import load
from upheld_lab.bench.metrics import answer_in
from upheld_lab.bench.report import Watch
from upheld_lab.bench.split import Split
from upheld_lab.bench.vectors import VectorCache
from upheld_lab.training.grader.candidates import candidates, drawn, tells_nothing
from upheld_lab.training.grader.examples import Example
from upheld_lab.training.grader.manuals import manual_examples
from upheld_lab.training.grader.questions import Asked, asked

KEPT = 0.25  # of the diet beside questions on manuals
RANDOM = 0.3  # questions that get a passage from anywhere as well


@dataclass(frozen=True, slots=True)
class Helping:
    """How much is taken of a set: questions, and hard negatives for each."""

    questions: int
    negatives: int


# Where a search is nearly always right there is little to learn, so SQuAD is not taken whole.
# TimeQA's negatives are the other paragraphs of the same article: few questions, so more of them.
DIET: Mapping[str, Helping] = MappingProxyType(
    {
        "squad11": Helping(2_000, 2),
        "nq": Helping(1_700, 2),
        "timeqa": Helping(500, 9),
        "ottqa": Helping(1_200, 4),
        "hybridqa": Helping(1_500, 3),
    }
)


@dataclass(frozen=True, slots=True)
class Fed:
    """The rows, and how many there are of each kind."""

    examples: list[Example]
    counts: dict[str, int]
    questions: dict[str, int]


async def feed(
    data: Path,
    cache: VectorCache,
    watch: Watch,
    *,
    split: Split = Split.TRAIN,
    manuals: Path | None = None,
    seed: int = 0,
) -> Fed:
    """Choose questions, look for what is hard to tell from their gold, shuffle.

    With manuals, which lie below that folder as Debian installs them, questions on them come first,
    and the negatives of the others are found by words alone: a run that goes on from a trained
    grader keeps by these what it knows, and need not embed the whole corpus.
    """
    corpus = load(data)
    questions = _chosen(asked(corpus, data, split), KEPT if manuals else 1.0)
    passages = list(corpus.passages.values())
    hard = await candidates(questions, passages, None if manuals else cache, watch)
    dice = random.Random(seed)  # noqa: S311  (training data, no secret)
    examples = [
        example
        for question, near in zip(questions, hard, strict=True)
        for example in examples_of(
            question, corpus.passages, near, dice, DIET[question.set].negatives
        )
    ]
    if manuals is not None:
        examples += await manual_examples(manuals, cache, watch, split, dice)
    dice.shuffle(examples)
    kinds = Counter(f"{each.source}/{'helps' if each.helps else 'does not'}" for each in examples)
    of_sets = Counter(each.set for each in questions)
    return Fed(examples, dict(sorted(kinds.items())), dict(sorted(of_sets.items())))


def examples_of(
    question: Asked,
    passages: Mapping[str, Passage],
    near: Sequence[Passage],
    dice: random.Random,
    negatives: int,
) -> Iterator[Example]:
    """Its gold, passages that a search would rather not find, and strips of both."""
    gold = [passages[id] for id in sorted(question.gold)]
    for passage in gold:
        yield Example(question.text, passage.searchable, True, question.set)
    others = drawn(near, negatives, dice)
    if dice.random() < RANDOM:
        anywhere = passages[dice.choice(list(passages))]
        others += [anywhere] if tells_nothing(anywhere, question) else []
    for passage in others:
        yield Example(question.text, passage.searchable, False, question.set)
    yield from _strips(question, gold, others, dice)


def _strips(
    question: Asked, gold: Sequence[Passage], negatives: Sequence[Passage], dice: random.Random
) -> Iterator[Example]:
    """The one strip that has the answer, one beside it that has not, one of a negative.

    Where several have it, nobody knows which was meant; there the passage alone teaches.
    """
    sentences = dice.choice([1, 3])  # the quote writer's strips, and CRAG's
    source = f"{question.set} strips"
    for passage in gold[:1]:
        parts = _parts(passage, sentences)
        holding = [part for part in parts if answer_in(part.text, question.answers)]
        if len(holding) != 1 or len(parts) < 2:
            continue
        yield Example(question.text, holding[0].searchable, True, source)
        beside = dice.choice([part for part in parts if part is not holding[0]])
        yield Example(question.text, beside.searchable, False, source)
        if negatives:
            other = dice.choice(_parts(dice.choice(negatives), sentences))
            yield Example(question.text, other.searchable, False, source)


def _parts(passage: Passage, sentences: int) -> list[Passage]:
    return [strip.passage for strip in decompose(Hit(passage, 0.0, ""), sentences)]


def _chosen(questions: Sequence[Asked], part: float) -> list[Asked]:
    taken = Counter[str]()
    found = []
    for question in questions:
        if question.set in DIET and taken[question.set] < part * DIET[question.set].questions:
            taken[question.set] += 1
            found.append(question)
    return found
