"""FaVe's planner in two stages: the form of a session by SFT, then which sessions find more by DPO.

sft   from a base, on sessions that people planned
dpo   from what `sft` exported, on pairs of its own sessions
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Any

from upheld_lab.bench.split import SIDES
from upheld_lab.training.fave.data import EXAMPLES, PAIRS, PROMPTS
from upheld_lab.training.fave.dpo import prefer
from upheld_lab.training.language_model.base import Base, load_base
from upheld_lab.training.language_model.examples import read_examples, read_preferences
from upheld_lab.training.language_model.export import export
from upheld_lab.training.language_model.recipe import Recipe, Say
from upheld_lab.training.language_model.sft import fine_tune


class Stage(StrEnum):
    """The part of the training."""

    SFT = "sft"
    DPO = "dpo"


def train_planner(
    base: Path, data: Path, work: Path, out: Path, recipe: Recipe, say: Say
) -> dict[str, Any]:
    """SFT on planned sessions, or go on with its run; then export."""
    start = load_base(base, work)
    every = read_examples(data / EXAMPLES)
    train, dev = ([each for each in every if each.split is side] for side in SIDES)
    model, figures = fine_tune(start, train, dev, recipe, work / Stage.SFT, say)
    facts = {"examples": {"sessions": len(train)}, "recipe": asdict(recipe), "figures": figures}
    return _exported(model, start, out, Stage.SFT, facts)


def train_preference(
    base: Path,
    data: Path,
    work: Path,
    out: Path,
    beta: float,
    difference: int,
    recipe: Recipe,
    say: Say,
) -> dict[str, Any]:
    """DPO on pairs that differ by so many gold facts, or go on with its run; then export."""
    start = load_base(base, work)
    every = [each for each in read_preferences(data / PAIRS) if each.difference >= difference]
    train, dev = ([each for each in every if each.split is side] for side in SIDES)
    model, figures = prefer(start, train, dev, beta, recipe, work / Stage.DPO, say)
    counts = Counter(f"differ by {each.difference}" for each in train)
    facts = {
        "examples": dict(sorted(counts.items())),
        "recipe": {**asdict(recipe), "beta": beta, "difference": difference},
        "figures": figures,
    }
    return _exported(model, start, out, Stage.DPO, facts)


def _exported(
    model: Any, start: Base, out: Path, stage: Stage, facts: Mapping[str, object]
) -> dict[str, Any]:
    paper = {"stage": stage.value, "paper": "FaVe, 2025.findings-acl.993"}
    card = export(model, start, out, f"fave-{stage}-{start.name}", PROMPTS, {**paper, **facts})
    return dict(json.loads(card.model_dump_json()))
