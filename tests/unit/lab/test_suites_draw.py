"""Drawing questions and passages: sides, lots, turns and distractors."""

from __future__ import annotations

import hashlib

import pytest

from upheld.errors import UsageError
from upheld.types import Passage
from upheld_lab.bench.split import Split
from upheld_lab.bench.suites.draw import Candidate, Draw, in_turn, paired
from upheld_lab.bench.suites.files import passage
from upheld_lab.bench.suites.suite import Asked


def candidate(id: str, *needs: str, split: Split = Split.TEST) -> Candidate:
    set, _, _ = id.partition("/")
    return Candidate(Asked(id, set, f"{id}?"), frozenset(needs), split)


def ids(some: list[Candidate]) -> list[str]:
    return [each.asked.id for each in some]


def draw(limit: int | None = None, passages: int | None = None, seed: int = 0) -> Draw:
    return Draw(Split.TEST, limit, passages, seed)


def texts(number: int) -> dict[str, Passage]:
    made = [passage("p", f"text {i}") for i in range(number)]
    return {f"p{i}": each for i, each in enumerate(made)}


def test_only_the_wanted_side_in_the_order_of_lots_without_the_set_s_name() -> None:
    some = [candidate(f"nq/{i}") for i in range(9)]
    some.append(candidate("nq/other", split=Split.DEV))

    def by_hand(each: Candidate) -> bytes:
        bare = each.asked.id.removeprefix("nq/")
        return hashlib.sha256(f"7:{bare}".encode()).digest()

    ordered = draw(seed=7).order(some)
    assert ids(ordered) == ids(sorted(some[:9], key=by_hand))
    assert ids(ordered) != ids(draw(seed=8).order(some))


def test_sets_take_turns_until_all_are_empty() -> None:
    one = [candidate("a/1"), candidate("a/2"), candidate("a/3")]
    other = [candidate("b/1")]
    assert ids(in_turn(one, other)) == ["a/1", "b/1", "a/2", "a/3"]
    suite = draw(limit=2).suite("s", [one, other], {}, {"f": "hash"})
    assert [each.id for each in suite.questions] == ["a/1", "b/1", "a/2"]
    assert (suite.name, suite.hashes) == ("s", {"f": "hash"})


def test_pairs_are_as_many_of_each() -> None:
    some = [candidate("a/1"), candidate("a/2")]
    others = [candidate("b/1"), candidate("b/2"), candidate("b/3")]
    assert ids(paired(some, others)) == ["a/1", "b/1", "a/2", "b/2"]


def test_what_is_needed_is_there_and_the_rest_are_distractors() -> None:
    all_of_them = texts(50)
    sets = [[candidate("a/1", "p3", "p4"), candidate("a/2", "p5")]]
    names = {each.id: name for name, each in all_of_them.items()}

    def chosen(passages: int | None, seed: int = 0) -> set[str]:
        suite = draw(1, passages, seed).suite("s", sets, all_of_them, {})
        return {names[each.id] for each in suite.passages}

    assert chosen(1) == {"p3", "p4"}  # never fewer than are needed
    assert chosen(10) < chosen(20) < chosen(None) == set(all_of_them)
    assert {"p3", "p4"} < chosen(10)
    assert len(chosen(10)) == 10
    assert chosen(10, seed=1) != chosen(10)


def test_a_side_without_questions_is_an_error() -> None:
    with pytest.raises(UsageError, match="no questions on test"):
        draw().suite("poison", [[]], {}, {})


def test_a_text_given_twice_is_one_passage() -> None:
    assert passage("a", " words \n").id == passage("a", "words", "Title").id
    assert passage("a", "words").id != passage("b", "words").id
    assert passage("a", " words ").text == "words"
