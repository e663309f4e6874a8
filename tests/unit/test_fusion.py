from __future__ import annotations

import pytest

from upheld.fusion import fuse
from upheld.types import Hit, Passage


def hit(id: str, score: float) -> Hit:
    return Hit(Passage(id, f"text of {id}", "d", "v", 0, 1), score, "q")


def ids(hits: list[Hit]) -> list[str]:
    return [each.passage.id for each in hits]


def scores(hits: list[Hit]) -> dict[str, float]:
    return {each.passage.id: each.score for each in hits}


def test_each_score_counts_as_a_share_of_the_best_of_its_kind() -> None:
    lexical = [hit("a", 10.0), hit("b", 5.0)]
    fused = fuse(lexical, [hit("b", 0.8), hit("c", 0.4)], 3, nearest_weight=0.5)
    # Only the vectors found "c": its BM25 score is at most the last one listed.
    assert scores(fused) == pytest.approx({"a": 0.5, "b": 0.75, "c": 0.25 + 0.25})
    assert ids(fused) == ["b", "a", "c"]  # ties go by id, so that runs repeat


def test_a_lexical_list_that_ended_early_holds_every_match() -> None:
    fused = fuse([hit("a", 10.0)], [hit("b", 0.8), hit("c", 0.4)], 3, nearest_weight=0.5)
    assert scores(fused) == pytest.approx({"a": 0.5, "b": 0.5, "c": 0.25})


def test_cosines_fill_in_lexical_hits_but_nearest_scores_win() -> None:
    lexical, near = [hit("a", 2.0), hit("b", 1.0)], [hit("b", 0.8)]
    fused = fuse(lexical, near, 2, cosines={"a": 0.4, "b": 0.1}, nearest_weight=0.5)
    assert scores(fused) == pytest.approx({"a": 0.25 + 0.5, "b": 0.5 + 0.25})


@pytest.mark.parametrize(("weight", "first"), [(0.0, "a"), (1.0, "c")])
def test_a_weight_at_either_end_is_one_ranking(weight: float, first: str) -> None:
    fused = fuse(
        [hit("a", 3.0), hit("b", 1.0)], [hit("c", 0.9), hit("a", 0.1)], 3, nearest_weight=weight
    )
    assert ids(fused)[0] == first


def test_no_passage_is_given_twice_and_the_limit_holds() -> None:
    both = [hit(id, 1.0) for id in "abcdef"]
    assert ids(fuse(both, both, 4)) == ["a", "b", "c", "d"]


def test_either_list_may_be_empty() -> None:
    assert fuse([], [], 5) == []
    assert ids(fuse([hit("a", 0.0)], [], 5)) == ["a"]
    assert ids(fuse([], [hit("a", -0.2), hit("b", 0.3)], 5)) == ["b", "a"]


def test_what_was_found_is_kept() -> None:
    (fused,) = fuse([hit("a", 4.0)], [], 1)
    assert (fused.query, fused.passage.text, fused.relevance) == ("q", "text of a", None)


def test_where_nothing_is_near_shares_stay_between_0_and_1() -> None:
    found = fuse([], [hit("a", 0.01), hit("b", -0.06), hit("c", -0.07)], 3)
    assert scores(found) == {"a": 0.5, "b": 0.0, "c": 0.0}
