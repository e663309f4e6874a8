"""The questions that a grader may learn from: none that dev or test knows, in any wording of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from upheld_lab.bench.corpus import BenchQuestion, Corpus
from upheld_lab.bench.metrics import normalise
from upheld_lab.bench.pack import lot, rows
from upheld_lab.bench.split import Split, split_of_question

HYBRIDQA = "hybridqa"  # in no bench, since its questions lean on a table; it trains all the same
MOST_GOLD = 2  # HybridQA's gold is traced by words: questions with more of it are mostly chance
_TABLES = ("q_ottqa_dev", "q_hybridqa_dev")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and the passages that answer it or may answer it."""

    set: str
    text: str
    answers: tuple[str, ...]
    gold: frozenset[str]
    tables: frozenset[str]  # they hold a part of the answer: no gold, and no negatives either


def asked(corpus: Corpus, data: Path, split: Split) -> list[Asked]:
    """The questions of one split in an order by lot, each once."""
    tables = {
        row["qid"]: frozenset(row["gold_table_pids"])
        for name in _TABLES
        for row in rows(data / "a_corpus" / f"{name}.jsonl.gz")
    }
    questions = [each for some in corpus.questions.values() for each in some]
    if split is Split.TRAIN:
        questions += _hybridqa(corpus, data)
        questions = without_leaks(questions)
    once = {
        normalise(each.text): Asked(
            each.set, each.text, each.answers, each.gold, tables.get(each.id, frozenset())
        )
        for each in questions
        if each.split is split
    }
    return sorted(once.values(), key=lambda each: lot("grader", each.text))


def without_leaks(questions: Sequence[BenchQuestion]) -> list[BenchQuestion]:
    """Training questions that no other split asks.

    OTT-QA asks HybridQA's questions in other words: those have the same gold, so of HybridQA no
    question stays whose gold any other split needs.
    """
    others = [each for each in questions if each.split is not Split.TRAIN]
    asked_there = {normalise(each.text) for each in others}
    gold_there = _gold(each for each in others if each.set != HYBRIDQA)
    return [
        each
        for each in questions
        if each.split is Split.TRAIN
        and normalise(each.text) not in asked_there
        and not (each.set == HYBRIDQA and each.gold & gold_there)
    ]


def _gold(questions: Iterable[BenchQuestion]) -> frozenset[str]:
    return frozenset().union(*(each.gold for each in questions))


def _hybridqa(corpus: Corpus, data: Path) -> list[BenchQuestion]:
    found = []
    for row in rows(data / "a_corpus" / "q_hybridqa_dev.jsonl.gz"):
        gold = frozenset(row["gold_pids"])
        if 1 <= len(gold) <= MOST_GOLD:
            titles = frozenset(corpus.passages[id].title for id in gold)
            split = split_of_question(HYBRIDQA, titles)
            answers = tuple(row["answers"])
            found.append(BenchQuestion(HYBRIDQA, row["qid"], row["question"], answers, gold, split))
    return found
