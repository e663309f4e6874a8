"""The challenge is what it says: balanced by kind, and nothing but the sources tells the label."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from upheld.text.words import FUNCTION_WORDS, words
from upheld_lab.bench.verify.challenge import Half, Twin, read_twins

FOLDER = Path(__file__).parent.parent.parent / "data" / "challenge"
KINDS = 26
TWINS = 10  # of a kind, in each half


@pytest.fixture(scope="module")
def halves() -> dict[Half, list[Twin]]:
    return {half: read_twins(FOLDER, half) for half in Half}


def every(halves: dict[Half, list[Twin]]) -> list[Twin]:
    return [twin for twins in halves.values() for twin in twins]


@pytest.mark.parametrize("half", Half)
def test_every_kind_has_as_many_twins(halves: dict[Half, list[Twin]], half: Half) -> None:
    counted = Counter(twin.kind for twin in halves[half])
    assert len(counted) == KINDS
    assert set(counted.values()) == {TWINS}


def test_there_are_many_sources_and_none_is_short(halves: dict[Half, list[Twin]]) -> None:
    sources = {source.id: source for twin in every(halves) for source in twin.sources}
    assert len(sources) >= 200
    assert min(len(source.text.split()) for source in sources.values()) >= 80


def test_the_halves_share_no_source(halves: dict[Half, list[Twin]]) -> None:
    dev, test = ({s.id for twin in twins for s in twin.sources} for twins in halves.values())
    assert not dev & test


def test_twins_differ_and_no_claim_is_given_twice(halves: dict[Half, list[Twin]]) -> None:
    claims = [claim for twin in every(halves) for claim in (twin.true, twin.false)]
    assert len(set(claims)) == len(claims)


def test_only_claims_on_two_sources_have_two(halves: dict[Half, list[Twin]]) -> None:
    for twin in every(halves):
        assert len(twin.sources) == (2 if twin.kind == "joined_sources" else 1), twin.id


def test_no_sentence_frame_is_used_more_than_three_times(halves: dict[Half, list[Twin]]) -> None:
    """A frame is what is left of a sentence when its content words are blanked."""
    frames = Counter(frame(twin.true) for twin in every(halves))
    common, times = frames.most_common(1)[0]
    assert times <= 3, common


def frame(claim: str) -> str:
    return " ".join(word if word in FUNCTION_WORDS else "_" for word in words(claim))


def test_length_does_not_tell_the_label(halves: dict[Half, list[Twin]]) -> None:
    twins = every(halves)
    longer = sum(len(twin.true) > len(twin.false) for twin in twins)
    shorter = sum(len(twin.true) < len(twin.false) for twin in twins)
    assert abs(longer - shorter) / len(twins) < 0.15
    assert 0.97 < mean(len(t.true) for t in twins) / mean(len(t.false) for t in twins) < 1.03


def test_the_words_of_a_claim_do_not_tell_its_label(halves: dict[Half, list[Twin]]) -> None:
    """Naive Bayes on one half, asked which of two twins in the other half is the true one."""
    dev, test = halves[Half.DEV], halves[Half.TEST]
    for learnt, asked in ((dev, test), (test, dev)):
        weight = log_odds(learnt)
        right = sum(score(twin.true, weight) > score(twin.false, weight) for twin in asked)
        wrong = sum(score(twin.true, weight) < score(twin.false, weight) for twin in asked)
        assert right / (right + wrong) < 0.62


def log_odds(twins: Sequence[Twin]) -> dict[str, float]:
    true = Counter(word for twin in twins for word in set(words(twin.true)))
    false = Counter(word for twin in twins for word in set(words(twin.false)))
    return {word: math.log((true[word] + 1) / (false[word] + 1)) for word in true | false}


def score(claim: str, weight: dict[str, float]) -> float:
    return sum(weight.get(word, 0.0) for word in set(words(claim)))


def mean(values: Iterable[int]) -> float:
    found = list(values)
    return sum(found) / len(found)
