"""Suites of questions with short answers: `short` by one passage, `hops` by several."""

from __future__ import annotations

from pathlib import Path

from upheld_lab.bench.corpus import load
from upheld_lab.bench.suites.draw import Draw
from upheld_lab.bench.suites.noted import candidate, corpus_hashes
from upheld_lab.bench.suites.suite import Suite

SHORT = ("nq", "squad11", "timeqa")
HOPS = ("hotpotqa", "musique", "ottqa")  # the first two are test only; tables are never gold


def load_short(data: Path, draw: Draw) -> Suite:
    """Natural Questions, SQuAD and TimeQA over Wikipedia passages."""
    return _load("short", SHORT, data, draw)


def load_hops(data: Path, draw: Draw) -> Suite:
    """HotpotQA, MuSiQue and OTT-QA over the same passages."""
    return _load("hops", HOPS, data, draw)


def _load(name: str, sets: tuple[str, ...], data: Path, draw: Draw) -> Suite:
    corpus = load(data)
    ordered = [draw.order(map(candidate, corpus.questions[each])) for each in sets]
    return draw.suite(name, ordered, corpus.passages, corpus_hashes(corpus, sets))
