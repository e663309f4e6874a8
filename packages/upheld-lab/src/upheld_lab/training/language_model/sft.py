"""Supervised fine-tuning with LoRA: the loss is on replies only, batches are of equal length."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from torch.nn.functional import cross_entropy
from trl import SFTConfig, SFTTrainer

from upheld.errors import UsageError
from upheld_lab.training.language_model.base import Base
from upheld_lab.training.language_model.batches import (
    Encoded,
    bucketed,
    encode_examples,
    fingerprint,
)
from upheld_lab.training.language_model.cost import Cost
from upheld_lab.training.language_model.examples import Example
from upheld_lab.training.language_model.recipe import (
    Recipe,
    Say,
    arguments,
    claim_folder,
    lora,
    run,
)

_HELD_OUT = 20  # examples that the loss is measured on at the end: a minute on a processor
_NOT_LEARNT = -100  # torch's own mark


def fine_tune(
    base: Base,
    examples: Sequence[Example],
    held_out: Sequence[Example],
    recipe: Recipe,
    work: Path,
    say: Say,
) -> tuple[Any, dict[str, float]]:
    """Train, or go on with a run; the model with its adapter, and its loss on held-out examples."""
    encoded = encode_examples(base.tokenizer, examples, recipe.max_tokens)
    if not encoded:
        raise UsageError(f"No example has at most {recipe.max_tokens} tokens.")
    if len(encoded) < len(examples):
        say(f"left out: {len(examples) - len(encoded)} examples of more tokens than the bound")
    claim_folder(work, recipe, fingerprint(*encoded))
    order = in_order(encoded, recipe)
    told = encode_examples(base.tokenizer, held_out[:_HELD_OUT], recipe.max_tokens)
    trainer = (SFTTrainer if torch.cuda.is_available() else ReplyTrainer)(
        model=base.model,
        args=SFTConfig(**arguments(recipe, work), max_length=None, completion_only_loss=True),
        train_dataset=dataset(order),
        eval_dataset=dataset(told) if told else None,
        processing_class=base.tokenizer,
        peft_config=lora(recipe),
    )
    say(str(cost_of(trainer.model, order, recipe)))
    run(trainer, work)
    figures = trainer.evaluate() if told else {}
    loss = {name: float(value) for name, value in figures.items() if name == "eval_loss"}
    return trainer.model, {"examples_seen": len(order), **loss}


class ReplyTrainer(SFTTrainer):  # type: ignore[misc]  # `trl` has no types
    """Computes the output layer for replies only; on a processor `trl` does so for every token.

    A third of a step's time is spared where replies are short and the vocabulary is large.
    """

    def compute_loss(
        self,
        model: Any,
        inputs: dict[str, torch.Tensor],
        return_outputs: bool = False,
        num_items_in_batch: torch.Tensor | int | None = None,
    ) -> Any:
        labels = inputs.pop("labels")
        learnt = labels != _NOT_LEARNT
        first = int(learnt.any(dim=0).nonzero()[0])
        outputs = model(**inputs, logits_to_keep=labels.shape[1] - first + 1)
        loss = cross_entropy(
            outputs.logits[:, :-1].flatten(0, 1),
            labels[:, first:].flatten(),
            ignore_index=_NOT_LEARNT,
            reduction="sum",
        )
        loss = loss / (learnt.sum() if num_items_in_batch is None else num_items_in_batch)
        return (loss, outputs) if return_outputs else loss


def in_order(encoded: Sequence[Encoded], recipe: Recipe) -> list[Encoded]:
    """The examples of all epochs, each in an order of its own, as many as the steps take."""
    lengths = [len(each.ids) for each in encoded]
    order = [
        encoded[place]
        for epoch in range(recipe.epochs)
        for place in bucketed(lengths, recipe.at_once, recipe.seed + epoch)
    ]
    return order if recipe.steps is None else order[: recipe.steps * recipe.batch]


def dataset(encoded: Sequence[Encoded]) -> Any:
    """Rows that `trl` takes as they are: ids, and which of them count in the loss."""
    return Dataset.from_dict(
        {
            "input_ids": [list(each.ids) for each in encoded],
            "completion_mask": [each.mask for each in encoded],
        }
    )


def cost_of(model: Any, order: Sequence[Encoded], recipe: Recipe) -> Cost:
    """What the run takes, with its time by one step on an example of middle length."""
    tokens = padded_tokens([len(each.ids) for each in order], recipe.at_once)
    middle = sorted(order, key=lambda each: len(each.ids))[len(order) // 2]
    seconds = seconds_a_token(model, middle) * tokens
    return Cost(model.num_parameters(), len(order), tokens, 1, seconds)


def padded_tokens(lengths: Sequence[int], batch: int) -> int:
    """The tokens of all batches, each padded to its longest example."""
    parts = [lengths[start : start + batch] for start in range(0, len(lengths), batch)]
    return sum(max(part) * len(part) for part in parts)


def seconds_a_token(model: Any, example: Encoded) -> float:
    """How long one token takes forwards and backwards here; the second of two passes."""
    ids = torch.tensor([example.ids], device=model.device)
    taken = 0.0
    for _ in range(2):
        began = time.monotonic()
        logits = model(input_ids=ids, logits_to_keep=example.learnt + 1).logits[0, :-1]
        cross_entropy(logits, ids[0, -example.learnt :]).backward()
        taken = time.monotonic() - began
    model.zero_grad(set_to_none=True)
    return taken / len(example.ids)
