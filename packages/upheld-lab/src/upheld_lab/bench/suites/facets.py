"""The suite `facets`: StrategyQA, whose answers need several facts; all facts are the corpus.

Nobody marked citations, so there is no gold: claim recall and yes/no are scored.
"""

from __future__ import annotations

from pathlib import Path

from upheld.types import Passage
from upheld_lab.bench.suites.draw import Candidate, Draw
from upheld_lab.bench.suites.files import hashes_of, pack_file, passage
from upheld_lab.bench.suites.strategyqa import FILES, StrategyQuestion, read_strategyqa
from upheld_lab.bench.suites.suite import Asked, Suite

SET = "strategyqa"


def load_facets(data: Path, draw: Draw) -> Suite:
    """Every fact is a passage under the term of the first question that has it."""
    questions = read_strategyqa(data)
    passages: dict[str, Passage] = {}
    for question in questions:
        for fact in question.facts:
            found = passage(SET, fact, question.term)
            passages.setdefault(found.id, found)
    hashes = hashes_of(pack_file(data, name) for name in FILES)
    return draw.suite("facets", [draw.order(map(_candidate, questions))], passages, hashes)


def _candidate(question: StrategyQuestion) -> Candidate:
    asked = Asked(
        f"{SET}/{question.id}",
        SET,
        question.text,
        answerable=True,
        facts=question.facts,
        yes=question.yes,
    )
    needs = frozenset(passage(SET, fact).id for fact in question.facts)
    return Candidate(asked, needs, question.split)
