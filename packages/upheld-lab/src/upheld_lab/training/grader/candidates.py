"""What a search would find for a question besides its gold: the negatives that are hard."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from upheld.types import Passage
from upheld_lab.bench.metrics import answer_in, normalise
from upheld_lab.bench.report import Watch
from upheld_lab.bench.retrieval.reference import ReferenceBM25
from upheld_lab.bench.vectors import VectorCache
from upheld_lab.training.grader.questions import Asked

if TYPE_CHECKING:
    from upheld.ports import Vectors

DEPTH = 30  # of each list; from a whole corpus, that is as hard as a search's first ten
HARDEST = 8  # half of the negatives are of the first so many
_TOGETHER = 256  # questions whose cosines fit in memory
_SAYS_NOTHING = frozenset({"yes", "no"})  # answers that stand in any text


async def candidates(
    questions: Sequence[Asked], passages: Sequence[Passage], cache: VectorCache | None, watch: Watch
) -> list[list[Passage]]:
    """For each question: BM25's and the vectors' lists in turn, without what may answer it.

    Without a cache of vectors, BM25's alone.
    """
    texts = [each.text for each in questions]
    reference = ReferenceBM25(passages)
    if cache is None:
        lists = zip(questions, reference.search(texts, DEPTH), strict=True)
        return [_without_answers(question, lexical, lexical) for question, lexical in lists]
    asked = await cache.vectors(texts, lambda done, of: watch("embedding questions", done, of))
    vectors = await cache.vectors(
        [passage.searchable for passage in passages],
        lambda done, of: watch("embedding passages", done, of),
    )
    found = []
    for first in range(0, len(questions), _TOGETHER):
        part = slice(first, first + _TOGETHER)
        near = _nearest(asked[part], vectors, passages)
        listed = zip(questions[part], reference.search(texts[part], DEPTH), near, strict=True)
        found += [_without_answers(each, one, two) for each, one, two in listed]
        watch("mining", len(found), len(questions))
    return found


def drawn(near: Sequence[Passage], count: int, dice: random.Random) -> list[Passage]:
    """So many of them by lot, half of the hardest."""
    first = dice.sample(near[:HARDEST], min(len(near[:HARDEST]), (count + 1) // 2))
    rest = [passage for passage in near if passage not in first]
    return first + dice.sample(rest, min(len(rest), count - len(first)))


def tells_nothing(passage: Passage, question: Asked) -> bool:
    """Whether a passage may stand as a negative: not gold, not its table, no answer in it."""
    if passage.id in question.gold | question.tables:
        return False
    telling = [each for each in question.answers if is_telling(each)]
    return not answer_in(passage.searchable, telling)


def is_telling(answer: str) -> bool:
    """Whether finding an answer means anything: a digit or a yes is found by chance."""
    normal = normalise(answer)
    return len(normal) > 1 and normal not in _SAYS_NOTHING


def _without_answers(
    question: Asked, lexical: Sequence[Passage], near: Sequence[Passage]
) -> list[Passage]:
    both = itertools.chain.from_iterable(zip(lexical, near, strict=True))
    once = {passage.id: passage for passage in both}
    return [passage for passage in once.values() if tells_nothing(passage, question)]


def _nearest(asked: Vectors, vectors: Vectors, passages: Sequence[Passage]) -> list[list[Passage]]:
    cosines = asked @ vectors.T
    first = np.argpartition(-cosines, DEPTH, axis=1)[:, :DEPTH]
    order = np.take_along_axis(first, np.argsort(-np.take_along_axis(cosines, first, 1)), 1)
    return [[passages[place] for place in row] for row in order]
