"""What decides the outcome of a run, and what all runs of `trl` here have in common.

A run is continued when it is started again: its order of examples is fixed by the seed, and its
checkpoints hold weights, optimiser and random numbers.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig
from transformers import TrainerCallback

from upheld.errors import ModelError, UpheldError

Say = Callable[[str], None]
CHECKPOINTS, FINGERPRINT = "checkpoints", "data.sha256"
_LAST_FILE = "trainer_state.json"  # a checkpoint without it was not finished


class PausedError(UpheldError):
    """A signal asked a run to stop; it goes on when it is started again."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """Hyper-parameters of a run with LoRA (Hu et al. 2021, arXiv:2106.09685)."""

    rate: float = 2e-4  # QLoRA's for models up to 13B (Dettmers et al. 2023, arXiv:2305.14314)
    batch: int = 8  # examples a step
    at_once: int = 1  # of them in memory
    epochs: int = 1
    steps: int | None = None  # at most; default: all epochs
    warm_up: float = 0.03  # share of the steps; QLoRA keeps the rate constant
    rank: int = 16
    scale: int = 32  # LoRA's alpha: twice the rank
    max_tokens: int = 2_048  # longer examples are left out
    optimiser: str = "adamw_torch"
    seed: int = 0
    checkpoint_steps: int = 50


def lora(recipe: Recipe) -> Any:
    """An adapter on every linear layer, without dropout."""
    return LoraConfig(
        r=recipe.rank,
        lora_alpha=recipe.scale,
        lora_dropout=0.0,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )


def arguments(recipe: Recipe, work: Path) -> dict[str, Any]:
    """What every trainer of `trl` is told; nothing is reported to anybody."""
    on_gpu = torch.cuda.is_available()
    return {
        "output_dir": str(work / CHECKPOINTS),
        "learning_rate": recipe.rate,
        "lr_scheduler_type": "constant_with_warmup",
        "warmup_steps": recipe.warm_up,
        "optim": recipe.optimiser,
        "weight_decay": 0.0,
        "max_grad_norm": 1.0,
        "per_device_train_batch_size": recipe.at_once,
        "gradient_accumulation_steps": max(1, recipe.batch // recipe.at_once),
        "num_train_epochs": 1,  # the data hold every epoch, each in an order of its own
        "max_steps": recipe.steps or -1,
        "train_sampling_strategy": "sequential",
        "save_steps": recipe.checkpoint_steps,
        "logging_steps": 10,
        "gradient_checkpointing": on_gpu,
        "bf16": on_gpu,
        "dataloader_pin_memory": on_gpu,
        "seed": recipe.seed,
        "report_to": "none",
    }


def claim_folder(work: Path, recipe: Recipe, data: str) -> None:
    """Note what a run is fed; raises `ModelError` if the folder has a run on other data."""
    known = f"{asdict(recipe)} {data}"
    path = work / FINGERPRINT
    if path.exists() and path.read_text() != known:
        raise ModelError(
            f"{work} has a run with other data or settings.", help="Take a new --work folder."
        )
    work.mkdir(parents=True, exist_ok=True)
    path.write_text(known)


def checkpoints(work: Path) -> list[Path]:
    """The finished checkpoints of a run, the oldest first."""
    found = [
        each for each in (work / CHECKPOINTS).glob("checkpoint-*") if (each / _LAST_FILE).is_file()
    ]
    return sorted(found, key=lambda each: int(each.name.removeprefix("checkpoint-")))


def run(trainer: Any, work: Path) -> None:
    """Train from the last checkpoint on; raises `PausedError`, after another, at a signal."""
    pause = _Pause()
    trainer.add_callback(pause)
    signals = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1)
    before = [signal.signal(each, pause.ask) for each in signals]
    try:
        last = checkpoints(work)
        trainer.train(resume_from_checkpoint=str(last[-1]) if last else None)
    finally:
        for each, handler in zip(signals, before, strict=True):
            signal.signal(each, handler)
    if pause.asked and trainer.state.global_step < trainer.state.max_steps:
        raise PausedError("The run is paused.", help="Start it again to go on.")


class _Pause(TrainerCallback):  # type: ignore[misc]  # `transformers` has no types
    """Saves a checkpoint and stops after the step under way."""

    def __init__(self) -> None:
        self.asked = False

    def ask(self, *_: object) -> None:
        self.asked = True

    def on_step_end(self, args: Any, state: Any, control: Any, **_: object) -> Any:
        if self.asked:
            control.should_save = control.should_training_stop = True
        return control
