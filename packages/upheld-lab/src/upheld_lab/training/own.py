"""Your own questions as rows for the grader and pairs for the verifier.

They are lines of question, answers and gold over your knowledge base, split by document as for the
language models. Weights that know more than your lines teach are the place to start from: see
`upheld train released`.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from upheld.errors import UsageError
from upheld.types import Passage
from upheld_lab.bench.split import SIDES, Split
from upheld_lab.training.grader import questions as grader_questions
from upheld_lab.training.grader.candidates import DEPTH, tells_nothing
from upheld_lab.training.grader.data import Fed, examples_of
from upheld_lab.training.grader.examples import Example
from upheld_lab.training.sources import GoldQuestion, Source
from upheld_lab.training.verifier import questions as verifier_questions
from upheld_lab.training.verifier.pairs import Pair, premise

SET = "own"
NEGATIVES = 3  # of a question, for the grader


async def grader_feeds(source: Source, seed: int = 0) -> tuple[Fed, Fed]:
    """The rows that train, and those that choose the scale of probabilities."""
    train, dev = [await grader_feed(source, side, seed) for side in SIDES]
    return train, dev


async def grader_feed(source: Source, side: Split, seed: int = 0) -> Fed:
    """Gold and its strips help; what a search finds besides, without an answer in it, does not."""
    questions, gold = await _with_gold(source, side)
    found = await source.search([each.text for each in questions], side, DEPTH)
    dice = random.Random(seed)  # noqa: S311  (training data, no secret)
    rows = list[Example]()
    for question, hits in zip(questions, found, strict=True):
        asked = grader_questions.Asked(
            SET, question.text, question.answers, question.gold, frozenset()
        )
        near = [each for each in hits if tells_nothing(each, asked)]
        rows += examples_of(asked, gold, near, dice, NEGATIVES)
    dice.shuffle(rows)
    counts = Counter(f"{each.source}/{'helps' if each.helps else 'does not'}" for each in rows)
    return Fed(rows, dict(sorted(counts.items())), {SET: len(questions)})


async def verifier_pairs(source: Source, seed: int = 0) -> tuple[list[Pair], list[Pair]]:
    """The pairs that train, and those that show how it goes."""
    train, dev = [await verifier_pairs_of(source, side, seed) for side in SIDES]
    return train, dev


async def verifier_pairs_of(source: Source, side: Split, seed: int = 0) -> list[Pair]:
    """About two pairs a question: its answer as a claim, and a like answer or another passage."""
    questions, gold = await _with_gold(source, side)
    found = await source.search([each.text for each in questions], side, DEPTH)
    of_document = defaultdict[str, list[verifier_questions.Asked]](list)
    for each in questions:
        of_document[each.article].append(_claimed(each))
    dice = random.Random(seed)  # noqa: S311  (training data, no secret)
    pairs = list[Pair]()
    for question, hits in zip(questions, found, strict=True):
        passage = gold[min(question.gold)]
        near = [each.text for each in hits if each.id not in question.gold]
        others = of_document[question.article]
        for text, claim, label in verifier_questions.pairs_of(
            _claimed(question), passage.text, others, near, dice
        ):
            pairs.append(Pair(premise(passage.title, text), claim, label, SET, question.article))
    dice.shuffle(pairs)
    return pairs


async def _with_gold(
    source: Source, side: Split
) -> tuple[Sequence[GoldQuestion], Mapping[str, Passage]]:
    questions = [each for each in await source.questions((side,)) if each.gold and each.answers]
    if not questions:
        raise UsageError(
            f"No question with answers and gold is on the side {side}.",
            help="60 % of the documents train and 20 % choose: more documents need questions.",
        )
    return questions, await source.passages(frozenset().union(*(each.gold for each in questions)))


def _claimed(question: GoldQuestion) -> verifier_questions.Asked:
    return verifier_questions.Asked(
        question.text, min(question.answers, key=len), min(question.gold)
    )
