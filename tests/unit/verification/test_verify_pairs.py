"""The pairs that the verifier is tested on are what they claim to be."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.verify_pairs import VerifyPair, read_pairs
from upheld.text.figures import absent, values
from upheld.text.sentences import sentences
from upheld.types import Support
from upheld.verification.checkworthy import not_checkworthy
from upheld.verification.claims import split_answer
from upheld.verification.exact_quote import find_quote, quotable

PAIRS = read_pairs()
RIGHT = """verbatim_quote light_paraphrase strong_paraphrase two_sentences inference one_of_several
    pronoun true_denial hedging_kept figure_reworded true_beside_instruction condition_kept
    quantifier_kept cause_stated order_kept right_person denial_kept allegation_kept future_kept
    beside_a_denial"""
WRONG = """number_changed date_changed unit_changed name_swapped role_swapped negation_added
    negation_removed opposite_word quantifier_changed hedging_dropped cause_invented order_swapped
    wrong_passage detail_invented facts_merged wrong_person quote_in_denial pronoun
    conditional_dropped world_knowledge injected_instruction none_of_several denied_outright
    taken_back only_alleged told_as_myth yet_to_come"""


def test_there_are_enough_of_both_classes_and_of_every_verdict() -> None:
    counts = Counter(pair.expected for pair in PAIRS)
    assert len(PAIRS) >= 120
    assert set(counts) == {Support.SUPPORTED, Support.CONTRADICTED, Support.UNSUPPORTED}
    assert 0.4 <= counts[Support.SUPPORTED] / len(PAIRS) <= 0.5
    assert min(counts.values()) >= 30


def test_every_way_to_be_right_or_wrong_is_there_twice() -> None:
    right = Counter(pair.kind for pair in PAIRS if pair.expected is Support.SUPPORTED)
    wrong = Counter(pair.kind for pair in PAIRS if pair.expected is not Support.SUPPORTED)
    assert set(right) == set(RIGHT.split())
    assert set(wrong) == set(WRONG.split())
    assert min(*right.values(), *wrong.values()) >= 2


def test_no_pair_is_there_twice() -> None:
    for told in (
        [pair.id for pair in PAIRS],
        [pair.claim.casefold() for pair in PAIRS],
        [source.text for pair in PAIRS for source in pair.sources],
    ):
        assert [each for each, times in Counter(told).items() if times > 1] == []


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.id)
def test_a_pair_is_well_formed(pair: VerifyPair) -> None:
    [sentence] = split_answer(pair.answer)
    assert (sentence.text, sentence.marks) == (pair.claim, (1,))
    assert not_checkworthy(pair.claim) is None
    assert 1 <= len(pair.sources) <= 3
    assert all(1 <= len(sentences(source.text)) <= 6 for source in pair.sources)
    given = values(" ".join(source.searchable for source in pair.sources))
    if pair.expected is Support.SUPPORTED:  # a careful reader needs no sums either
        assert not absent(pair.claim, given)
    if pair.kind == "number_changed":
        assert absent(pair.claim, given)
    quoted = any(find_quote(pair.claim, quotable(source)) for source in pair.sources)
    assert quoted == (pair.kind == "verbatim_quote")
