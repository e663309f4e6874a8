"""The suite that ships with the package says what its documents say."""

from __future__ import annotations

from collections import Counter

import pytest

from upheld_lab.bench.metrics import answer_in
from upheld_lab.bench.split import Split
from upheld_lab.bench.suites.choose import load_suite
from upheld_lab.bench.suites.suite import Asked

TINY = load_suite("tiny", None)
TEXTS = {each.id: each.text for each in TINY.passages}


def said(ids: frozenset[str]) -> str:
    return "\n".join(TEXTS[id] for id in ids)


def test_it_is_small_whole_and_the_same_on_every_side() -> None:
    assert Counter(each.set for each in TINY.questions) == {
        "facts": 5,
        "hops": 4,
        "lists": 3,
        "yes_no": 2,
        "unanswerable": 6,
        "conflicts": 2,
        "planted": 2,
    }
    assert len(TEXTS) == len(TINY.passages) == 30
    assert len({each.id for each in TINY.questions}) == 24
    assert len({each.set for each in TINY.questions[:7]}) == 7
    assert load_suite("tiny", None, split=Split.DEV, passages=1) == TINY
    assert len(load_suite("tiny", None, limit=1).questions) == 7
    assert set(TINY.hashes) == {"tiny/passages.jsonl", "tiny/questions.jsonl"}


@pytest.mark.parametrize("asked", TINY.questions, ids=lambda asked: asked.id)
def test_what_is_noted_stands_in_the_passages(asked: Asked) -> None:
    assert asked.gold | asked.false_passages <= TEXTS.keys()
    assert bool(asked.gold) == asked.answerable
    assert not asked.gold & asked.false_passages
    if asked.answers:
        assert answer_in(said(asked.gold), asked.answers)
        assert not answer_in(said(asked.false_passages), asked.answers)
    assert all(answer_in(said(asked.gold), part) for part in asked.parts)
    if asked.false_answers:
        assert all(answer_in(TEXTS[id], asked.false_answers) for id in asked.false_passages)
        assert not answer_in(said(asked.gold), asked.false_answers)


def test_a_hop_needs_both_of_its_passages() -> None:
    for asked in TINY.questions:
        if asked.set == "hops":
            assert len(asked.gold) == 2
            assert sum(answer_in(TEXTS[id], asked.answers) for id in asked.gold) == 1
