"""Questions that a paragraph looks like answering and does not: people wrote them for SQuAD 2.0.

Without them a grader learns what a passage is about, not whether the answer is in it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from upheld.bench.corpus import Corpus
from upheld.bench.metrics import normalise
from upheld.bench.pack import lot
from upheld.bench.split import Split
from upheld.bench.suites.draw import Candidate
from upheld.bench.suites.unanswerable import squad2
from upheld.training.grader.examples import Example, strips
from upheld.types import Passage
from upheld.words import content_stems

SET = "squad2"
QUESTIONS = 2_500


def without_answer(
    corpus: Corpus, data: Path, split: Split, dice: random.Random
) -> Iterator[Example]:
    """The rows of one split."""
    for each in unanswerable(list(squad2(data, corpus)), split):
        for id in sorted(each.needs):
            yield from examples_of_none(each.asked.text, corpus.passages[id], dice)


def unanswerable(candidates: list[Candidate], split: Split) -> list[Candidate]:
    """The questions of one split in an order by lot; none that another split asks too."""
    elsewhere = {normalise(each.asked.text) for each in candidates if each.split is not split}
    found = [
        each
        for each in candidates
        if each.split is split
        and not each.asked.answerable
        and normalise(each.asked.text) not in elsewhere
    ]
    return sorted(found, key=lambda each: lot("grader", each.asked.text))[:QUESTIONS]


def examples_of_none(question: str, passage: Passage, dice: random.Random) -> Iterator[Example]:
    """The paragraph, and the strip of it that looks most like an answer."""
    yield Example(question, passage.searchable, False, SET)
    wanted = content_stems(question)
    alike = max(
        strips(passage, dice.choice([1, 3])),
        key=lambda each: len(wanted & content_stems(each.text)),
    )
    yield Example(question, alike.searchable, False, f"{SET} strips")
