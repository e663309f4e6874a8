"""The suite `abstain`: unanswerable questions, by turns with as many answerable ones of each set.

A method that always abstains, or never, gains nothing. The sets are SQuAD 2.0, TimeQA and MTRAG-UN.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from upheld_lab.bench.corpus import load
from upheld_lab.bench.suites import mtrag
from upheld_lab.bench.suites.draw import Candidate, Draw, paired
from upheld_lab.bench.suites.files import hashes_of, pack_file
from upheld_lab.bench.suites.noted import corpus_hashes
from upheld_lab.bench.suites.suite import Suite
from upheld_lab.bench.suites.unanswerable import SQUAD2_FILE, squad2, timeqa


def load_abstain(data: Path, draw: Draw) -> Suite:
    """Half of each set should be answered, the other half should not."""
    corpus = load(data)
    tasks, contexts = mtrag.read_mtrag(data)
    sets = [
        _halves(draw, questions)
        for questions in (squad2(data, corpus), timeqa(data, corpus), tasks)
    ]
    hashes = {
        **corpus_hashes(corpus, ["timeqa"]),
        **hashes_of(pack_file(data, name) for name in (SQUAD2_FILE, mtrag.FILE)),
    }
    return draw.suite("abstain", sets, {**corpus.passages, **contexts}, hashes)


def _halves(draw: Draw, candidates: Iterable[Candidate]) -> list[Candidate]:
    ordered = draw.order(candidates)
    return paired(
        [each for each in ordered if not each.asked.answerable],
        [each for each in ordered if each.asked.answerable],
    )
