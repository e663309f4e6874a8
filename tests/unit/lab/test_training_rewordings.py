"""Sentences in other words keep their figures and names."""

from __future__ import annotations

import random
import re

import pytest

from upheld_lab.training.verifier.rewordings import reworded


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The film was directed by Ann Lee.", "Ann Lee directed the movie."),
        ("Its capital is Bern.", "Bern is its capital."),
        ("In 1990, the mill shut for good.", "The mill shut for good in 1990."),
        ("Ann Lee (born 3 May 1954) is an actress.", "Born May 3, 1954, Ann Lee is an actress."),
    ],
)  # fmt: skip
def test_clauses_are_turned(sentence: str, expected: str) -> None:
    assert reworded(sentence, random.Random(1)) == expected


def test_words_change_and_figures_stay() -> None:
    sentence = "The mill is located near Rome, was built in 1901 and often draws about 300 people."
    found = {reworded(sentence, random.Random(seed)) for seed in range(20)}
    assert sentence not in found
    for other in found:
        assert re.findall(r"\d+", other) == ["1901", "300"]
        assert "Rome" in other
