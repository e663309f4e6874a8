"""The suite `bridges`: questions of 2WikiMultihopQA, whose passages name each other.

Their answers are not in the pack, so what can be told is whether the right passages are cited. It
is for fitting: nothing was trained on them, so that train's side and dev's side are dev here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from upheld_lab.bench.corpus import Corpus, load
from upheld_lab.bench.pack import rows
from upheld_lab.bench.split import Split, split_of_question
from upheld_lab.bench.suites.draw import Candidate, Draw
from upheld_lab.bench.suites.files import hashes_of, pack_file
from upheld_lab.bench.suites.noted import asked, corpus_hashes
from upheld_lab.bench.suites.suite import Suite

SET, FILE = "2wiki", "a_corpus/q_2wiki_101.jsonl.gz"


def load_bridges(data: Path, draw: Draw) -> Suite:
    """Over the same passages as `short` and `hops`."""
    path, corpus = pack_file(data, FILE), load(data)
    candidates = [_candidate(row, corpus) for row in rows(path)]
    hashes = {**corpus_hashes(corpus, []), **hashes_of([path])}
    return draw.suite("bridges", [draw.order(candidates)], corpus.passages, hashes)


def _candidate(row: dict[str, Any], corpus: Corpus) -> Candidate:
    gold = frozenset(row["gold_pids"])
    side = split_of_question(SET, frozenset(corpus.passages[id].title for id in gold))
    noted = asked(SET, row["qid"], row["question"], (), gold)
    return Candidate(noted, gold, Split.TEST if side is Split.TEST else Split.DEV)
