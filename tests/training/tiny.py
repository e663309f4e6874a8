"""A tiny model and a short run of the real loop, in a process of its own.

python -m tests.training.tiny BASE WORK [other]
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from upheld_lab.training.verifier.batches import Encoded
from upheld_lab.training.verifier.train import Recipe, train

BASE_TOKENS = 1_200


def tiny_recipe() -> Recipe:
    return Recipe(tokens=60_000, batch_tokens=512, minutes_a_checkpoint=0.001)


def tiny_base(folder: Path) -> Path:
    """A BERT with two layers of 32, saved as a published encoder is."""
    import torch
    from transformers import BertConfig, BertModel

    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=BASE_TOKENS,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=64,
    )
    BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    return folder


def pairs(seed: int) -> list[Encoded]:
    dice = random.Random(seed)
    found = []
    for twin in range(200):
        for label in (0, 1):
            size = dice.randint(10, 40)
            ids = tuple(dice.randint(1000, BASE_TOKENS - 1) for _ in range(size))
            cut = size // 2
            found.append(Encoded(ids, (0,) * cut + (1,) * (size - cut), label, twin))
    return found


if __name__ == "__main__":
    base, work = map(Path, sys.argv[1:3])
    seed = 1 if sys.argv[3:] else 0
    train(base, pairs(seed), tiny_recipe(), work, lambda _: {})
