"""ConflictQA: yes/no questions of StrategyQA with two texts for the true side, two for the false.

A language model wrote three of the four; the evidence of the true side is StrategyQA's facts, which
is how we know which side that is, whatever the model remembered. Split by the term, as `facets` is,
so that no question is on dev in one suite and on test in the other. What the false side says is a
sentence that no answer repeats word for word: there are false passages, but no false answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from upheld.types import Passage
from upheld_lab.bench.metrics import normalise
from upheld_lab.bench.pack import rows
from upheld_lab.bench.suites.draw import Candidate
from upheld_lab.bench.suites.files import pack_file, passage
from upheld_lab.bench.suites.strategyqa import StrategyQuestion, read_strategyqa
from upheld_lab.bench.suites.suite import Asked

FILE = "d_robustness/conflictqa_strategyqa_gpt4.jsonl.gz"
SET = "conflictqa"


def read_conflictqa(data: Path) -> tuple[list[Candidate], Mapping[str, Passage]]:
    """The questions of which the true side is known, and the texts of both sides."""
    known = {normalise(each.text): each for each in read_strategyqa(data)}
    found, passages = dict[str, Candidate](), dict[str, Passage]()
    for row in rows(pack_file(data, FILE)):
        question = known.get(normalise(row["question"]))
        sides = _sides(row, question) if question else None
        if question is None or sides is None or question.id in found:  # one is there twice
            continue
        right, wrong = sides
        asked = _asked(question, _ids(right), _ids(wrong))
        needs = asked.gold | asked.false_passages
        found[question.id] = Candidate(asked, needs, question.split)
        passages |= {each.id: each for each in (*right, *wrong)}
    return list(found.values()), passages


def _asked(question: StrategyQuestion, gold: frozenset[str], false: frozenset[str]) -> Asked:
    return Asked(
        f"{SET}/{question.id}",
        SET,
        question.text,
        gold=gold,
        answerable=True,
        facts=question.facts,
        yes=question.yes,
        false_passages=false,
    )


def _sides(
    row: Mapping[str, Any], question: StrategyQuestion
) -> tuple[list[Passage], list[Passage]] | None:
    """The texts of the true side and of the false one, where the facts tell them apart."""
    facts = normalise(" ".join(question.facts))
    remembered, counter = _texts(row, "parametric_memory"), _texts(row, "counter_memory")
    match [normalise(evidence.text) == facts for _, evidence in (remembered, counter)]:
        case [True, False]:
            return remembered, counter
        case [False, True]:
            return counter, remembered
    return None


def _texts(row: Mapping[str, Any], side: str) -> list[Passage]:
    return [passage(SET, row[side]), passage(SET, row[f"{side}_aligned_evidence"])]


def _ids(texts: list[Passage]) -> frozenset[str]:
    return frozenset(each.id for each in texts)
