"""Direct preference optimisation of the planner (section 3.2.1; Rafailov et al., arXiv:2305.18290).

The checkpoint that is taken has the highest accuracy on held-out pairs: how often the preferred
session is the more probable one, by itself and not against the reference (section 3.2.1).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from peft import PeftModel
from torch.nn.functional import logsigmoid
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
    # LoRA on a small model hardly moves by 5e-7; what docs/results/training.md measures.
    "small": Preset(0.1, 2e-4, "adamw_torch"),
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
    trainer = (DPOTrainer if torch.cuda.is_available() else SharedPromptTrainer)(
        model=base.model,
        args=DPOConfig(**arguments(recipe, work), beta=beta, max_length=None),
        train_dataset=rows(pairs, recipe),
        processing_class=base.tokenizer,
        peft_config=lora(recipe),
    )
    say(str(_cost(trainer.model, both, recipe)))
    run(trainer, work)
    return _best(trainer.model, base, held_out, before, work, say)


class SharedPromptTrainer(DPOTrainer):  # type: ignore[misc]  # `trl` has no types
    """Reads the prompt of a pair once, where `trl` reads it with either reply.

    A planner's prompt is several times as long as its replies: more than half of a step is spared.
    """

    def compute_loss(
        self,
        model: Any,
        inputs: dict[str, torch.Tensor],
        return_outputs: bool = False,
        num_items_in_batch: torch.Tensor | int | None = None,
    ) -> Any:
        assert not return_outputs, "only a trainer that computes metrics asks for them"
        rises = []
        for pair in _pairs_of(inputs):
            with torch.no_grad(), self.accelerator.unwrap_model(model).disable_adapter():
                before = margin(model, *pair)
            rises.append(margin(model, *pair) - before)
        return -logsigmoid(self.beta * torch.stack(rises)).mean()


def _pairs_of(inputs: Mapping[str, torch.Tensor]) -> Iterator[list[torch.Tensor]]:
    """The prompt and both replies of each pair: `trl` puts all better ones before all worse."""
    found = [
        (ids[mask.bool()], int(mask.sum() - learnt.sum()))
        for ids, mask, learnt in zip(
            inputs["input_ids"], inputs["attention_mask"], inputs["completion_mask"], strict=True
        )
    ]
    half = len(found) // 2
    for (better, prompt), (worse, _) in zip(found[:half], found[half:], strict=True):
        yield [better[:prompt], better[prompt:], worse[prompt:]]


def margin(
    model: Any, prompt: torch.Tensor, better: torch.Tensor, worse: torch.Tensor
) -> torch.Tensor:
    """By how much the better reply is more probable, as a logarithm.

    Both follow the prompt in one sequence, each at the places after it; neither sees the other.
    """
    ids = torch.cat([prompt, better, worse])
    start, middle, end = len(prompt), len(prompt) + len(better), len(ids)
    places = torch.arange(end, device=ids.device)
    places[middle:] -= len(better)
    sees = torch.ones(end, end, dtype=torch.bool, device=ids.device).tril()
    sees[middle:, start:middle] = False
    logits = model(
        input_ids=ids[None],
        position_ids=places[None],
        attention_mask=sees[None, None],
        logits_to_keep=end - start + 1,
    ).logits[0]
    # The prompt's last token comes before the first of either reply.
    before = [*range(len(better)), 0, *range(len(better) + 1, end - start)]
    logs = torch.log_softmax(logits[before].float(), dim=-1)
    said = logs.gather(1, ids[start:, None])[:, 0]
    return said[: len(better)].sum() - said[len(better) :].sum()


def pair_accuracy(model: Any, tokenizer: Any, pairs: Sequence[Preference]) -> float:
    """How often the preferred reply has the higher probability."""
    right = 0
    for each in pairs:
        one, other = (
            encode(tokenizer, each.messages, reply) for reply in (each.chosen, each.rejected)
        )
        ids = torch.tensor(one.ids, device=model.device)
        worse = torch.tensor(other.ids[-other.learnt :], device=model.device)
        with torch.no_grad():
            right += bool(margin(model, ids[: -one.learnt], ids[-one.learnt :], worse) > 0)
    return right / len(pairs)


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


def rows(pairs: Sequence[Preference], recipe: Recipe) -> Any:
    """The pairs of all epochs, as `trl` takes them."""
    every = [
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
        [row for _ in range(recipe.epochs) for row in dice.sample(every, len(every))]
    )


def _encoded(base: Base, pair: Preference, reply: str) -> Encoded:
    return encode(base.tokenizer, pair.messages, reply)


def _cost(model: Any, pairs: Sequence[tuple[Encoded, Encoded]], recipe: Recipe) -> Cost:
    seen = recipe.epochs * len(pairs)
    if recipe.steps is not None:
        seen = min(seen, recipe.steps * recipe.batch)
    replies = sum(one.learnt + other.learnt for one, other in pairs)
    prompts = sum(len(one.ids) - one.learnt for one, _ in pairs)
    once = seen * (replies + prompts) // len(pairs)
    twice = seen * (replies + 2 * prompts) // len(pairs)
    middle = sorted((one for one, _ in pairs), key=lambda each: len(each.ids))[len(pairs) // 2]
    # The reference reads every token, too: half as many operations as training takes.
    a_token = 1.5 * seconds_a_token(model, middle)
    seconds = a_token * (twice if torch.cuda.is_available() else once)
    return Cost(model.num_parameters(), seen, twice, 2, seconds)
