"""Direct preference optimisation of the planner (section 3.2.1; Rafailov et al., arXiv:2305.18290).

The checkpoint that is taken has the highest accuracy on held-out pairs: how often the preferred
session is the more probable one, by itself and not against the reference (section 3.2.1).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from peft import PeftModel
from trl import DPOConfig, DPOTrainer

from upheld.errors import UsageError
from upheld_lab.training.language_model.base import Base
from upheld_lab.training.language_model.batches import Encoded, encode, fingerprint
from upheld_lab.training.language_model.cost import Cost
from upheld_lab.training.language_model.examples import Preference, conversation
from upheld_lab.training.language_model.recipe import (
    Recipe,
    Say,
    arguments,
    checkpoints,
    claim_folder,
    lora,
    run,
)
from upheld_lab.training.language_model.sft import seconds_a_token


@dataclass(frozen=True, slots=True)
class Preset:
    """What the paper gives, or what a small model needs."""

    beta: float
    rate: float
    optimiser: str


PRESETS = {
    # Vicuna 13B, all weights: section 3.2.1.
    "paper": Preset(0.3, 5e-7, "rmsprop"),
    # LoRA on a small model moves by 5e-7 hardly at all; where a search on dev pairs begins.
    "small": Preset(0.1, 5e-5, "adamw_torch"),
}


def prefer(
    base: Base,
    pairs: Sequence[Preference],
    held_out: Sequence[Preference],
    beta: float,
    recipe: Recipe,
    work: Path,
    say: Say,
) -> tuple[Any, dict[str, float]]:
    """Train, or go on with a run; the model at its best checkpoint, and pair accuracies."""
    if not pairs or not held_out:
        raise UsageError("There are no pairs to train on, or none to choose the checkpoint by.")
    both = [
        (_encoded(base, each, each.chosen), _encoded(base, each, each.rejected)) for each in pairs
    ]
    claim_folder(work, recipe, fingerprint(beta, *both))
    before = pair_accuracy(base.model, base.tokenizer, held_out)
    say(f"pair accuracy before: {before:.3f} of {len(held_out)} held-out pairs")
    trainer = DPOTrainer(
        model=base.model,
        args=DPOConfig(**arguments(recipe, work), beta=beta, max_length=None),
        train_dataset=_rows(pairs, recipe),
        processing_class=base.tokenizer,
        peft_config=lora(recipe),
    )
    say(str(_cost(trainer.model, both, recipe)))
    run(trainer, work)
    return _best(trainer.model, base, held_out, before, work, say)


def pair_accuracy(model: Any, tokenizer: Any, pairs: Sequence[Preference]) -> float:
    """How often the preferred reply has the higher probability."""
    right = 0
    for each in pairs:
        better, worse = (
            log_probability(model, encode(tokenizer, each.messages, reply))
            for reply in (each.chosen, each.rejected)
        )
        right += better > worse
    return right / len(pairs)


def log_probability(model: Any, encoded: Encoded) -> float:
    """The log probability of the reply after its messages."""
    ids = torch.tensor([encoded.ids], device=model.device)
    with torch.no_grad():
        logits = model(input_ids=ids, logits_to_keep=encoded.learnt + 1).logits[0, :-1]
    logs = torch.log_softmax(logits.float(), dim=-1)
    return float(logs.gather(1, ids[0, -encoded.learnt :, None]).sum())


def _best(
    model: Any,
    base: Base,
    held_out: Sequence[Preference],
    before: float,
    work: Path,
    say: Say,
) -> tuple[Any, dict[str, float]]:
    """The checkpoint with the highest pair accuracy; of equals, the earliest."""
    model.eval()
    found = dict[Path, float]()
    for folder in checkpoints(work):
        model.load_adapter(folder, adapter_name="default")
        found[folder] = pair_accuracy(model, base.tokenizer, held_out)
        say(f"{folder.name}: pair accuracy {found[folder]:.3f}")
    best = max(found, key=lambda each: found[each])
    assert isinstance(model, PeftModel), "it was trained with LoRA"
    model.load_adapter(best, adapter_name="default")
    steps = int(best.name.removeprefix("checkpoint-"))
    return model, {"before": before, "pair_accuracy": found[best], "steps": steps}


def _rows(pairs: Sequence[Preference], recipe: Recipe) -> Any:
    rows = [
        {
            "prompt": conversation(each.messages),
            "chosen": [{"role": "assistant", "content": each.chosen}],
            "rejected": [{"role": "assistant", "content": each.rejected}],
        }
        for each in pairs
    ]
    dice = random.Random(recipe.seed)  # noqa: S311  (an order, no secret)
    # By lot: a run of few steps sees many questions, not all pairs of a few.
    return Dataset.from_list(
        [row for _ in range(recipe.epochs) for row in dice.sample(rows, len(rows))]
    )


def _encoded(base: Base, pair: Preference, reply: str) -> Encoded:
    return encode(base.tokenizer, pair.messages, reply)


def _cost(model: Any, pairs: Sequence[tuple[Encoded, Encoded]], recipe: Recipe) -> Cost:
    tokens = recipe.epochs * sum(len(one.ids) + len(other.ids) for one, other in pairs)
    middle = sorted((one for one, _ in pairs), key=lambda each: len(each.ids))[len(pairs) // 2]
    # The reference reads every token, too: half as many operations as training takes.
    seconds = 1.5 * seconds_a_token(model, middle) * tokens
    return Cost(model.num_parameters(), recipe.epochs * len(pairs), tokens, 2, seconds)
