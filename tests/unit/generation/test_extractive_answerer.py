"""Which passages are quoted: as many as are worth it, by what is known of each."""

from __future__ import annotations

import pytest

from upheld.generation.extractive_answerer import (
    MOST,
    expected_f1,
    probability,
    select_passages,
    worth_quoting,
)
from upheld.types import Evidence, Hit, Passage


def hit(name: str, relevance: float | None = 0.0, score: float = 1.0) -> Hit:
    return Hit(Passage(name, name, name, "v1", 0, 1), score, "q", relevance)


def chosen(*hits: Hit, sentence: float = 0.5) -> list[str]:
    passages = select_passages(Evidence(hits), {each.passage: sentence for each in hits})
    return [each.id for each in passages]


def test_one_that_stands_out_is_quoted_alone() -> None:
    assert chosen(hit("poor", -0.9, 0.2), hit("good", 0.9)) == ["good"]


def test_those_that_are_as_likely_are_quoted_together_the_likeliest_first() -> None:
    assert chosen(hit("b", 0.1), hit("a", 0.2), hit("far", -0.9, 0.1)) == ["a", "b"]
    many = [hit(str(n)) for n in range(6)]
    assert len(chosen(*many)) == MOST


def test_without_grades_the_best_sentence_decides() -> None:
    one, other = hit("one", None), hit("other", None)
    best = {one.passage: 0.4, other.passage: 0.5}
    assert select_passages(Evidence((one, other)), best) == [other.passage]


def test_a_passage_without_a_sentence_is_not_quoted() -> None:
    assert select_passages(Evidence((hit("heading"),)), {}) == []


def test_grade_sentence_and_search_each_make_it_likelier() -> None:
    plain = probability((0.0, 0.5, 0.5))
    assert plain < probability((1.0, 0.5, 0.5))
    assert plain < probability((0.0, 0.6, 0.5))
    assert plain < probability((0.0, 0.5, 0.6))


def test_how_many_are_worth_it() -> None:
    assert worth_quoting([]) == 0
    assert worth_quoting([0.9, 0.4]) == 1
    assert worth_quoting([0.9, 0.5]) == 2
    assert worth_quoting([0.9, 0.9, 0.9], most=2) == 2


@pytest.mark.parametrize(
    ("chances", "f1"),
    [([0.9], 0.9), ([0.9, 0.3], 0.8), ([0.5, 0.5], 2 / 3), ([0.4, 0.3, 0.3], 0.5)],
)
def test_what_is_to_be_expected(chances: list[float], f1: float) -> None:
    assert expected_f1(chances) == pytest.approx(f1)
