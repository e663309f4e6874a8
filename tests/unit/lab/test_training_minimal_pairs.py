"""Minimal pairs: an edit changes one thing, both ways, and twins stay together."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from upheld.text.sentences import sentences
from upheld_lab.bench.verify.labels import Label
from upheld_lab.training.verifier import tables
from upheld_lab.training.verifier.batches import Encoded, batches
from upheld_lab.training.verifier.business_texts import business_pairs
from upheld_lab.training.verifier.claim_forms import compressed
from upheld_lab.training.verifier.edits import EDITORS, Context, edits
from upheld_lab.training.verifier.facts import Fact
from upheld_lab.training.verifier.frames import framed
from upheld_lab.training.verifier.minimal_pairs import as_pairs, minimal_pairs
from upheld_lab.training.verifier.style import aucs

TEXT = (
    "Ada Lovelace was born in London in 1815 and died in Marylebone in 1852.",
    "She worked with Charles Babbage on his engine for at least 12 years before she fell ill.",
    "Her notes, which many readers admired, were published in September 1843.",
    "Babbage paid her 30 pounds, which was more than he paid his two assistants.",
)
CONTEXT = Context(" ".join(TEXT), "Ada Lovelace", "Grace Hopper")
FACTS = [Fact(f"doc{at // 4}", "Ada Lovelace", TEXT, at % 4, TEXT[at % 4]) for at in range(80)]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("sentence", TEXT)
def test_an_edit_changes_the_sentence_and_can_be_found_again(sentence: str, seed: int) -> None:
    for edit in edits(sentence, CONTEXT, random.Random(seed)):
        edited = edit.apply(sentence)
        if edited is not None:
            assert edited != sentence
            assert edit.label is not Label.ENTAILS
            assert all(new in edited for _, new in edit.changes)


def test_every_editor_finds_something_to_edit_somewhere() -> None:
    text = "Some may think that the town of Rome is not more than 30 km from Ada Lovelace."
    found = {
        edit.kind
        for seed in range(30)
        for sentence in (*TEXT, text, "Two men beat Ann Lee before she met Bob Ray in Paris.")
        for edit in edits(sentence, CONTEXT, random.Random(seed))
    }
    assert {editor.__name__ for editor in EDITORS} - found <= {"role", "antonym"}


@pytest.mark.parametrize(
    "sentence",
    [
        "The prize is in excess of £4 million euros a year.",  # more than 3 as well
        "Episodes numbers 13 to 32 were filmed in colour.",  # 14 to 32 were, too
        "Loans are repaid within 10 weeks of the sale.",
    ],
)
def test_a_figure_is_left_where_another_may_be_true(sentence: str) -> None:
    context = Context(sentence, "Ada Lovelace", "Grace Hopper")
    for seed in range(20):
        kinds = {edit.kind for edit in edits(sentence, context, random.Random(seed))}
        assert not kinds & {"number", "unit"}


def test_the_same_figure_written_otherwise_is_no_other_figure() -> None:
    sentence = "She ran the 3000 metres of the course."
    context = Context(f"{sentence} The 3,000 metres took her an hour.", "Ada", "Grace")
    for seed in range(20):
        for edit in edits(sentence, context, random.Random(seed)):
            assert ("3000", "3,000") not in edit.changes


@pytest.mark.parametrize(
    "sentence",
    [
        "The group was made up of Reebok, Runtastic, and a share of Bayern.",
        "The streets were named after coastal towns, watering places and fishing ports.",
    ],
)
def test_a_list_is_not_cut(sentence: str) -> None:
    assert {compressed(sentence, random.Random(seed)) for seed in range(20)} == {sentence}


def test_twins_have_one_true_claim_and_one_that_is_not() -> None:
    pairs = as_pairs(list(minimal_pairs(FACTS, {}, seed=1)))
    assert set(Counter(pair.twin for pair in pairs).values()) == {2}
    for true, false in zip(pairs[::2], pairs[1::2], strict=True):
        assert true.label is Label.ENTAILS
        assert false.label is not Label.ENTAILS
        assert (true.premise, true.claim) != (false.premise, false.claim)


def test_half_of_the_edits_are_made_in_the_passage() -> None:
    twins = [t for t in minimal_pairs(FACTS * 5, {}, seed=1) if t.kind in ("number", "date")]
    in_passage = sum(
        any(part not in TEXT for part in sentences(t.true_premise.partition("\n")[2]))
        for t in twins
    )
    assert len(twins) > 20
    assert 0 < in_passage < len(twins)


def test_a_frame_has_claims_of_both_kinds() -> None:
    sentence = "The bridge was opened in 1901 by 40 workers."
    found = [twin for seed in range(60) for twin in framed(sentence, sentence, random.Random(seed))]
    assert {twin.kind for twin in found} >= {"retraction", "attribution", "bounds", "cause"}
    for twin in found:
        one = (twin.true_heading, twin.true_sentence, twin.true_claim)
        assert one != (twin.heading, twin.false_sentence, twin.false_claim)


def test_no_kind_of_made_up_documents_lacks_twins_and_words_do_not_tell_them_apart() -> None:
    twins = list(business_pairs(4_000, seed=3))
    kinds = Counter(twin.kind for twin in twins)
    assert len(kinds) == 26
    assert min(kinds.values()) > 60
    for twin in twins:
        assert twin.true_claim != twin.false_claim
        assert "{" not in twin.true_premise + twin.true_claim + twin.false_claim
        assert twin.true_claim[0].isupper() or not twin.true_claim[0].isalpha()
    assert aucs(twins[:3_000], twins[3_000:])["all"][0] < 0.6


def test_a_claim_that_gives_itself_away_is_found() -> None:
    telling = [
        replace(twin, false_claim=f"Surely {twin.false_claim}")
        for twin in business_pairs(400, seed=3)
    ]
    assert aucs(telling[:300], telling[300:])["all"][0] > 0.95


def test_strong_words_stand_in_true_claims_too() -> None:
    text = ("Some visitors come by train.", "The hall is often full in summer months.")
    facts = [Fact("d", "Hall", text, at % 2, text[at % 2]) for at in range(400)]
    twins = [t for t in minimal_pairs(facts, {}, 5) if t.kind in ("modality", "quantifier")]
    strong = [t for t in twins if {"all", "always"} & set(t.true_claim.lower().split())]
    assert 0 < len(strong) < len(twins)


def test_cells_of_a_table_are_told_apart() -> None:
    text = "Team: Lions; Points: 30; Town: Rome\nTeam: Bears; Points: 21; Town: Bern"
    found = [twin for seed in range(30) for twin in tables.twins(text, random.Random(seed))]
    assert {twin.kind for twin in found} == {"table_cell", "comparison", "arithmetic", "bounds"}
    assert all(twin.true != twin.false for twin in found)
    assert any("differ" in twin.true and "by 9" in twin.true for twin in found)


def test_twins_are_in_the_same_batch() -> None:
    encoded = [
        Encoded((at + 1,) * (5 + at % 30), (0,) * (5 + at % 30), at % 2, at // 2)
        for at in range(300)
    ]
    seen = 0
    for batch in batches(encoded, tokens=256, seed=3):
        assert len(batch.twins) * 2 == len(batch.ids)
        assert set(batch.labels[batch.twins[:, 0]]) == {0}
        assert set(batch.labels[batch.twins[:, 1]]) == {1}
        seen += len(batch.twins)
    assert seen == 150
