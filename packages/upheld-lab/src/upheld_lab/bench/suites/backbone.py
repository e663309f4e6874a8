"""The suite `backbone`: the fixed list for language models on a CPU, where reading is dear.

Twenty questions a set, and every passage of at most a hundred words: nq, hotpotqa (ottqa on dev,
for hotpotqa is test only) and unanswerable ones of squad2, whose own paragraph is in the corpus.
Answers have room for four claims, as elsewhere: in a single one no method has anything to mend.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from upheld_lab.bench.corpus import load
from upheld_lab.bench.split import Split
from upheld_lab.bench.suites.draw import Candidate, Draw
from upheld_lab.bench.suites.files import hashes_of, pack_file
from upheld_lab.bench.suites.noted import candidate, corpus_hashes
from upheld_lab.bench.suites.suite import Suite
from upheld_lab.bench.suites.unanswerable import SQUAD2_FILE, squad2

QUESTIONS = 20  # a set; a limit only shortens the list
WORDS = 100


def load_backbone(data: Path, draw: Draw) -> Suite:
    """Questions whose gold is short, over short distractors."""
    corpus = load(data)
    hops = "hotpotqa" if draw.split is Split.TEST else "ottqa"
    short = {id: each for id, each in corpus.passages.items() if len(each.text.split()) <= WORDS}
    asked: list[Iterable[Candidate]] = [
        map(candidate, corpus.questions["nq"]),
        map(candidate, corpus.questions[hops]),
        (each for each in squad2(data, corpus) if not each.asked.answerable),
    ]
    sets = [draw.order(each for each in some if each.needs <= short.keys()) for some in asked]
    hashes = {
        **corpus_hashes(corpus, ["nq", hops]),
        **hashes_of([pack_file(data, SQUAD2_FILE)]),
    }
    limit = QUESTIONS if draw.limit is None else min(draw.limit, QUESTIONS)
    return replace(draw, limit=limit).suite("backbone", sets, short, hashes)
