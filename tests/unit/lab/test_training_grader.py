"""The rows that train a grader: no leak, no false negatives, strips as the stages show them."""

from __future__ import annotations

import random

from upheld.types import Passage
from upheld_lab.bench.corpus import BenchQuestion
from upheld_lab.bench.split import Split
from upheld_lab.training.grader.candidates import tells_nothing
from upheld_lab.training.grader.data import DIET, examples_of
from upheld_lab.training.grader.questions import HYBRIDQA, Asked, without_leaks

TEXT = "Vell has a harbour. The lighthouse of Vell was built in 1869. Ferries leave at noon."


def passage(id: str, text: str, title: str = "Vell") -> Passage:
    return Passage(id, text, id, "v", 0, len(text), title=title)


def asked(*answers: str, gold: str = "gold", table: str = "table") -> Asked:
    text = "When was the lighthouse built?"
    return Asked("nq", text, answers, frozenset({gold}), frozenset({table}))


def question(set: str, text: str, gold: str, split: Split) -> BenchQuestion:
    return BenchQuestion(set, text, text, ("1869",), frozenset({gold}), split)


def test_what_may_answer_is_no_negative() -> None:
    of = asked("1869", "yes")
    assert tells_nothing(passage("a", "Yes, it was built in 1901."), of)  # a yes says nothing
    assert not tells_nothing(passage("a", "It was built in 1869."), of)
    assert not tells_nothing(passage("a", "It was rebuilt.", title="Fires of 1869"), of)
    assert not tells_nothing(passage("gold", "Nothing."), of)
    assert not tells_nothing(passage("table", "Nothing."), of)


def test_no_training_question_is_asked_elsewhere_in_any_set() -> None:
    kept = without_leaks(
        [
            question("nq", "When was it built?", "a", Split.TRAIN),
            question("squad11", "when was it built", "b", Split.TEST),
            question("squad11", "Who built it?", "c", Split.TRAIN),
            question("timeqa", "Who burnt it?", "d", Split.DEV),
            question("ottqa", "In what year did the keeper of it die?", "e", Split.TEST),
            question(HYBRIDQA, "When did the keeper die?", "e", Split.TRAIN),  # reworded there
            question(HYBRIDQA, "When did the painter die?", "f", Split.TRAIN),
            question("ottqa", "When did the captain die?", "e", Split.TRAIN),
        ]
    )
    assert [each.text for each in kept] == [
        "Who built it?",
        "When did the painter die?",
        "When did the captain die?",
    ]


def test_gold_helps_and_what_is_near_does_not() -> None:
    gold = passage("gold", TEXT)
    near = [passage(f"n{i}", f"Harbour {i} is small. It has no light.") for i in range(20)]
    everything = {each.id: each for each in (gold, *near)}
    rows = list(examples_of(asked("1869"), everything, near, random.Random(0)))
    whole = [row for row in rows if row.source == "nq"]
    assert [row.text for row in whole if row.helps] == [gold.searchable]
    drawn = [row.text for row in whole if not row.helps]
    assert DIET["nq"].negatives <= len(drawn) <= DIET["nq"].negatives + 1
    assert set(drawn) <= {each.searchable for each in near}
    assert [row.label for row in rows] == [0 if row.helps else 1 for row in rows]


def test_the_strip_with_the_answer_helps_and_the_one_beside_it_does_not() -> None:
    gold, near = passage("gold", TEXT), [passage("n", "Short.", title="Other")]
    everything = {each.id: each for each in (gold, *near)}
    for seed in range(10):
        rows = examples_of(asked("1869"), everything, near, random.Random(seed))
        strips = [row for row in rows if row.source == "nq strips"]
        assert len(strips) == 3
        for row in strips:
            assert row.helps == ("1869" in row.text)
            assert row.text.split("\n")[0] in {"Vell", "Other"}  # the title, as a stage shows it


def test_a_passage_that_has_the_answer_twice_gives_no_strips() -> None:
    gold = passage("gold", TEXT + " It burnt down in 1901, and 1869 stands over the door.")
    rows = list(examples_of(asked("1869"), {"gold": gold}, [], random.Random(3)))
    assert {row.source for row in rows} <= {"nq", "nq strips"}
    for row in rows:
        assert row.helps == ("1869" in row.text)
