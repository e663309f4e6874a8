"""`upheld train cov-rag` and `upheld train fave`: language models that two of the papers train."""

from __future__ import annotations

import json
import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from upheld.errors import MissingExtraError

Base = Annotated[
    Path, typer.Option(help="A GGUF file, a folder of transformers, or an export of this command.")
]
Data = Annotated[Path, typer.Option(help="Folder of examples, from `upheld train data`.")]
Work = Annotated[Path, typer.Option(help="Where checkpoints are; a run is continued.")]
Out = Annotated[Path, typer.Option(help="Where the adapter, weights, GGUF file and card go.")]
Steps = Annotated[int | None, typer.Option(min=1, help="At most so many steps.")]
Epochs = Annotated[int, typer.Option(min=1, help="How often each example is seen.")]
Rate = Annotated[float | None, typer.Option(min=0, help="Learning rate; default: the recipe's.")]
Batch = Annotated[int, typer.Option(min=1, help="Examples a step.")]
AtOnce = Annotated[int, typer.Option(min=1, help="Of them, how many are in memory at once.")]
MaxTokens = Annotated[int, typer.Option(min=1, help="Longer examples are left out.")]
Seed = Annotated[int, typer.Option(help="Another number, another order.")]
CheckpointSteps = Annotated[int, typer.Option(min=1, help="Steps between two checkpoints.")]


class ArmName(StrEnum):
    """The arms of CoV-RAG; `upheld_lab.training.cov_rag.train` explains them."""

    BASE = "base"
    SEED = "seed"
    RAG = "rag"
    VERIFY = "verify"
    CHAIN = "chain"


class StageName(StrEnum):
    """The stages of FaVe's planner."""

    SFT = "sft"
    DPO = "dpo"


class PresetName(StrEnum):
    """Hyper-parameters of DPO: the paper's, or for small models."""

    PAPER = "paper"
    SMALL = "small"


def cov_rag(
    arm: Annotated[ArmName, typer.Option(help="What it is trained on.")],
    base: Base,
    data: Data,
    work: Work,
    out: Out,
    steps: Steps = None,
    epochs: Epochs = 1,
    rate: Rate = None,
    batch: Batch = 8,
    at_once: AtOnce = 1,
    max_tokens: MaxTokens = 2_048,
    checkpoint_steps: CheckpointSteps = 50,
    seed: Seed = 0,
) -> None:
    """Train a model that answers, verifies and revises, or an arm to compare it with.

    The cost is printed first. SIGTERM or Ctrl-C pauses the run after a checkpoint.

    Example: upheld train cov-rag --arm chain --base m.gguf --data cov-rag/ --work run/ --out chain/
    """
    _work_offline()
    try:
        from upheld_lab.training.cov_rag.train import Arm, train_arm
        from upheld_lab.training.language_model.recipe import Recipe
    except ImportError as missing:
        raise MissingExtraError("Training", "train") from missing
    recipe = Recipe(
        rate=Recipe().rate if rate is None else rate,
        batch=batch,
        at_once=at_once,
        epochs=epochs,
        steps=steps,
        max_tokens=max_tokens,
        checkpoint_steps=checkpoint_steps,
        seed=seed,
    )
    made = train_arm(Arm(arm), base, data, work, out, recipe, _say)
    typer.echo(json.dumps(made, indent=2))


def fave(
    stage: Annotated[StageName, typer.Option(help="SFT first, then DPO from its export.")],
    base: Base,
    data: Data,
    work: Work,
    out: Out,
    preset: Annotated[PresetName, typer.Option(help="Beta, rate and optimiser of DPO.")] = (
        PresetName.SMALL
    ),
    beta: Annotated[float | None, typer.Option(min=0, help="Instead of the preset's.")] = None,
    difference: Annotated[
        int, typer.Option(min=1, help="Gold facts by which a pair differs; the paper: 2.")
    ] = 1,
    steps: Steps = None,
    epochs: Epochs = 1,
    rate: Rate = None,
    batch: Batch = 8,
    at_once: AtOnce = 1,
    max_tokens: MaxTokens = 2_048,
    checkpoint_steps: CheckpointSteps = 50,
    seed: Seed = 0,
) -> None:
    """Train a planner: sessions that people wrote, then sessions that find more.

    Examples:

        upheld train fave --stage sft --base smollm2.gguf --data fave/ --work run/ --out sft/

        upheld train fave --stage dpo --base sft/ --data fave/ --work run/ --out planner/
    """
    _work_offline()
    try:
        from upheld_lab.training.fave.dpo import PRESETS
        from upheld_lab.training.fave.train import train_planner, train_preference
        from upheld_lab.training.language_model.recipe import Recipe
    except ImportError as missing:
        raise MissingExtraError("Training", "train") from missing
    chosen = PRESETS[preset]
    is_dpo = stage is StageName.DPO
    usual = chosen.rate if is_dpo else Recipe().rate
    recipe = Recipe(
        rate=usual if rate is None else rate,
        batch=batch,
        at_once=at_once,
        epochs=epochs,
        steps=steps,
        max_tokens=max_tokens,
        optimiser=chosen.optimiser if is_dpo else Recipe().optimiser,
        checkpoint_steps=checkpoint_steps,
        seed=seed,
    )
    if is_dpo:
        weight = chosen.beta if beta is None else beta
        made = train_preference(base, data, work, out, weight, difference, recipe, _say)
    else:
        made = train_planner(base, data, work, out, recipe, _say)
    typer.echo(json.dumps(made, indent=2))


def _work_offline() -> None:
    """Nothing is fetched from a hub."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")


def _say(line: str) -> None:
    if os.environ.get("RANK", "0") == "0":  # of several processes, the first speaks
        typer.echo(line, err=True)
