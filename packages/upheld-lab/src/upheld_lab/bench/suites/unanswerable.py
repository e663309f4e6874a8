"""Sets with unanswerable questions in the pack's corpus: SQuAD 2.0 and TimeQA.

An unanswerable question has no gold, yet what it was asked of is in the corpus. In SQuAD 2.0 that
is one paragraph: people said that this paragraph does not answer it, and nobody looked at others.
In TimeQA it is the whole article, so the answerable questions bring theirs whole as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from upheld_lab.bench.corpus import Corpus
from upheld_lab.bench.pack import rows
from upheld_lab.bench.split import article, split_of_question
from upheld_lab.bench.suites.draw import Candidate
from upheld_lab.bench.suites.files import pack_file
from upheld_lab.bench.suites.noted import asked
from upheld_lab.bench.suites.suite import Asked

SQUAD2_FILE = "a_corpus/q_squad2_dev.jsonl.gz"
TIMEQA_FILE = "a_corpus/q_timeqa_human_test.jsonl.gz"


def squad2(data: Path, corpus: Corpus) -> Iterator[Candidate]:
    """Questions about a paragraph, half of which it does not answer."""
    for row in rows(pack_file(data, SQUAD2_FILE)):
        own = frozenset(row["gold_pids"])
        titles = frozenset(corpus.passages[id].title for id in own)
        yield Candidate(_asked("squad2", row, own), own, split_of_question("squad2", titles))


def timeqa(data: Path, corpus: Corpus) -> Iterator[Candidate]:
    """Questions about a time in an article's subject; the article stands in the question's id."""
    by_article = defaultdict[str, set[str]](set)
    for passage in corpus.passages.values():
        by_article[article(passage.title)].add(passage.id)
    for row in rows(pack_file(data, TIMEQA_FILE)):
        gold = frozenset(row["gold_pids"])
        title = row["qid"].removeprefix("/wiki/").rsplit("#", 1)[0]
        titles = frozenset(corpus.passages[id].title for id in gold) or frozenset({title})
        needs = gold.union(*(by_article[article(each)] for each in titles))
        yield Candidate(_asked("timeqa", row, gold), needs, split_of_question("timeqa", titles))


def _asked(set: str, row: Mapping[str, Any], gold: frozenset[str]) -> Asked:
    if row["answerable"]:
        return asked(set, row["qid"], row["question"], row["answers"], gold)
    return Asked(f"{set}/{row['qid']}", set, row["question"].strip(), answerable=False)
