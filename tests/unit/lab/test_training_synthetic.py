"""Synthetic pairs say what their label says."""

from __future__ import annotations

import random

import pytest

from upheld_lab.bench.verify.labels import Label
from upheld_lab.training.verifier import spoil
from upheld_lab.training.verifier.facts import Fact
from upheld_lab.training.verifier.synthetic import faithful, synthetic

TEXT = (
    "Ada Lovelace was born in London in 1815.",
    "She worked with Charles Babbage on his engine for 12 years.",
    "Her notes were published in September 1843 and increased his fame.",
    "The language Ada is named after her.",
)
FACTS = [
    Fact(f"doc{i}", "Ada Lovelace", TEXT, i % len(TEXT), TEXT[i % len(TEXT)]) for i in range(40)
]
REWORDED = {
    TEXT[0]: "Ada Lovelace came into the world in 1815, in London.",
    TEXT[1]: "For 12 years she collaborated with Charles Babbage on his engine.",
}


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("way", [spoil.number, spoil.name, spoil.negation, spoil.opposite])
def test_a_spoilt_sentence_differs_and_is_never_entailed(way: object, seed: int) -> None:
    assert callable(way)
    spoilt = way(TEXT[2], " ".join(TEXT), random.Random(seed))
    if spoilt is None:
        assert way is spoil.name  # the only capital of the sentence is its month
        return
    text, label = spoilt
    assert text != TEXT[2]
    assert label in (Label.CONTRADICTS, Label.NOT_ENTAILED)


@pytest.mark.parametrize("seed", range(20))
def test_a_year_becomes_another_year(seed: int) -> None:
    spoilt = spoil.number(TEXT[0], " ".join(TEXT), random.Random(seed))
    assert spoilt is not None
    year = int(spoilt[0].split()[-1].rstrip("."))
    assert year != 1815
    assert 1700 < year < 1900


def test_names_change_into_names_of_the_passage() -> None:
    spoilt = spoil.name(TEXT[1], " ".join(TEXT), random.Random(1))
    assert spoilt is not None
    assert "Charles Babbage" not in spoilt[0]


def test_negation_is_taken_away_where_it_stands() -> None:
    assert spoil.negation("It was not built.", "", random.Random(0)) == (
        "It was built.",
        Label.CONTRADICTS,
    )


@pytest.mark.parametrize(
    ("reworded", "kept"),
    [
        ("In 1815, Ada Lovelace was born in London.", True),
        ("In 1816, Ada Lovelace was born in London.", False),  # another year
        ("In 1815 someone was born in town at night.", False),  # names lost
        ("Ada Lovelace 1815 London", False),  # too short
    ],
)
def test_a_back_translation_counts_only_if_figures_and_names_survive(
    reworded: str, kept: bool
) -> None:
    assert faithful(TEXT[0], reworded) is kept


def test_pairs_of_every_label_come_out_and_repeat_for_a_seed() -> None:
    pairs = synthetic(FACTS, REWORDED, "made", seed=3)
    assert {pair.label for pair in pairs} == set(Label)
    assert pairs == synthetic(FACTS, REWORDED, "made", seed=3)
    assert pairs != synthetic(FACTS, REWORDED, "made", seed=4)


def test_a_positive_has_its_fact_in_the_premise() -> None:
    told = {**{sentence: sentence for sentence in TEXT}, **{v: k for k, v in REWORDED.items()}}
    for pair in synthetic(FACTS, REWORDED, "made", seed=0):
        if pair.label is Label.ENTAILS and ", and " not in pair.claim:
            claim = pair.claim.replace("Ada Lovelace worked", "She worked")
            assert told.get(claim, claim) in pair.premise


def test_a_fact_taken_out_of_its_passage_is_not_in_the_premise() -> None:
    for pair in synthetic(FACTS[:4], {}, "made", seed=0):
        if pair.label is Label.NEUTRAL and pair.claim in TEXT and "\n" in pair.premise:
            assert pair.claim not in pair.premise
