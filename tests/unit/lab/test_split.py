"""The split rule: fixed for ever, by article."""

from __future__ import annotations

from collections import Counter

import pytest

from upheld_lab.bench.split import Split, article, split_of_article, split_of_question


@pytest.mark.parametrize(
    ("title", "split"),  # written down so that the rule cannot drift
    [
        ("Super Bowl 50", Split.TRAIN),
        ("1973 oil crisis", Split.TRAIN),
        ("Warsaw", Split.TEST),
        ("Doctor Who", Split.DEV),
    ],
)
def test_known_articles_stay_where_they_are(title: str, split: Split) -> None:
    assert split_of_article(title) is split


def test_a_title_is_the_same_however_it_is_written() -> None:
    assert article("1973_oil_crisis") == article(" 1973 Oil  crisis") == "1973 oil crisis"
    assert article("Beyonce\u0301") == article("Beyonc\u00e9")


def test_the_shares_are_60_20_20() -> None:
    counts = Counter(split_of_article(f"Article {number}") for number in range(20_000))
    assert counts[Split.TRAIN] / 20_000 == pytest.approx(0.6, abs=0.01)
    assert counts[Split.DEV] / 20_000 == pytest.approx(0.2, abs=0.01)


def test_questions_that_share_an_article_stay_together() -> None:
    titles = [f"Article {number}" for number in range(50)]
    for title in titles:
        alone = split_of_question("nq", frozenset({title}))
        assert alone is split_of_question("squad11", frozenset({title.replace(" ", "_").upper()}))


def test_of_several_articles_the_first_decides() -> None:
    both = split_of_question("ottqa", frozenset({"zebra", "Aardvark"}))
    assert both is split_of_article("aardvark")


@pytest.mark.parametrize("dataset", ["hotpotqa", "musique"])
def test_small_sets_are_test_only(dataset: str) -> None:
    titles = [frozenset({f"Article {number}"}) for number in range(100)]
    assert {split_of_question(dataset, each) for each in titles} == {Split.TEST}
