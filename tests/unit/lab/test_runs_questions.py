"""A shorter run asks the beginning of a longer one's list, of the same passages."""

from __future__ import annotations

from upheld_lab.bench.runs.questions import first_of_each, suite_of
from upheld_lab.bench.split import Split
from upheld_lab.bench.suites.suite import Asked, Suite


def test_the_first_of_each_set_in_the_order_of_the_suite() -> None:
    order = ("a/1", "b/1", "a/2", "b/2", "a/3", "c/1")
    suite = Suite("s", tuple(Asked(id, id[0], "?") for id in order), (), {})
    assert [each.id for each in first_of_each(suite, 1)] == ["a/1", "b/1", "c/1"]
    assert [each.id for each in first_of_each(suite, 2)] == ["a/1", "b/1", "a/2", "b/2", "c/1"]
    assert first_of_each(suite, 9) == suite.questions


def tiny(limit: int | None) -> Suite:
    return suite_of("tiny", None, split=Split.TEST, limit=limit, passages=None, seed=3)


def test_a_longer_limit_begins_with_the_shorter_ones_questions_over_the_same_passages() -> None:
    two, three, whole = tiny(2), tiny(3), tiny(None)
    assert two.passages == three.passages == whole.passages
    assert two.questions == three.questions[: len(two.questions)]
    assert three.questions == whole.questions[: len(three.questions)]
    assert len(two.questions) < len(three.questions) < len(whole.questions)
