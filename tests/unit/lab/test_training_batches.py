"""Batches: every pair once, within the budget, the claim never cut."""

from __future__ import annotations

from upheld_lab.bench.verify.labels import Label
from upheld_lab.training.verifier.batches import Encoded, batches, encode, pair_tokenizer
from upheld_lab.training.verifier.pairs import Pair
from upheld_models import embedder_tokenizer


def test_a_pass_has_every_pair_once_within_the_budget() -> None:
    encoded = [Encoded((i + 1,) * (5 + i % 60), (0,) * (5 + i % 60), i % 4) for i in range(500)]
    passed = list(batches(encoded, tokens=256, seed=1))
    assert sorted(row[0] for batch in passed for row in batch.ids) == list(range(1, 501))
    assert all(batch.ids.size <= 256 for batch in passed)
    assert sum(batch.mask.sum() for batch in passed) == sum(len(one.ids) for one in encoded)


def test_the_order_depends_on_the_seed_alone() -> None:
    encoded = [Encoded((i + 1,) * (5 + i % 7), (0,) * (5 + i % 7), 0) for i in range(100)]
    first, again, other = (
        [batch.ids[0, 0] for batch in batches(encoded, 64, seed)] for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_a_long_premise_is_cut_and_the_claim_is_not() -> None:
    tokenizer = pair_tokenizer(embedder_tokenizer().parent)
    claim = "The whole claim stays as it is."
    [short] = encode([Pair("Some.", claim, Label.ENTAILS, "", "")], tokenizer)
    [long] = encode([Pair("word " * 900, claim, Label.ENTAILS, "", "")], tokenizer)
    assert len(long.ids) == 256
    assert sum(long.segments) == sum(short.segments)
    assert long.ids[-sum(long.segments) :] == short.ids[-sum(short.segments) :]


def test_a_claim_longer_than_the_model_reads_is_held_to_half_of_it() -> None:
    tokenizer = pair_tokenizer(embedder_tokenizer().parent, tokens=128)
    [held] = encode([Pair("word " * 900, "claim " * 300, Label.ENTAILS, "", "")], tokenizer)
    assert len(held.ids) == 128
    assert sum(held.segments) == 64 + 1  # and the mark at its end
