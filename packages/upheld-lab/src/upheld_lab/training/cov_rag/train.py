"""The arms of CoV-RAG, of the same size and steps, so that they differ in one thing only.

    base     the model as it is, exported like the others
    seed     trained to answer, on D1: it writes drafts for D2' (`upheld train data cov-rag --llm`)
    rag      trained to answer, on D1 and D2: the paper's baseline
    verify   to answer on D1, to revise the question on D2', without the chain
    chain    to answer on D1, to score, judge and revise on D2': CoV-RAG

One loss over both tasks is L_RAG + L_CoV (equation 2): every example is of one of them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Any

from upheld_lab.bench.split import Split
from upheld_lab.training.cov_rag.data import EXAMPLES, PROMPTS
from upheld_lab.training.language_model.base import load_base
from upheld_lab.training.language_model.examples import Example, read_examples
from upheld_lab.training.language_model.export import export
from upheld_lab.training.language_model.recipe import Recipe, Say
from upheld_lab.training.language_model.sft import fine_tune


class Arm(StrEnum):
    """What a model is trained on."""

    BASE = "base"
    SEED = "seed"
    RAG = "rag"
    VERIFY = "verify"
    CHAIN = "chain"


TASKS: dict[Arm, frozenset[tuple[str, int]]] = {
    Arm.BASE: frozenset(),
    Arm.SEED: frozenset({("answer", 1)}),
    Arm.RAG: frozenset({("answer", 1), ("answer", 2)}),
    Arm.VERIFY: frozenset({("answer", 1), ("direct", 2)}),
    Arm.CHAIN: frozenset({("answer", 1), ("chain", 2)}),
}


def of_arm(examples: Sequence[Example], arm: Arm, split: Split) -> list[Example]:
    """The examples that an arm is trained on, or that its loss is measured on."""
    return [
        each for each in examples if each.split is split and (each.task, each.half) in TASKS[arm]
    ]


def train_arm(
    arm: Arm, base: Path, data: Path, work: Path, out: Path, recipe: Recipe, say: Say
) -> dict[str, Any]:
    """Train one arm, or go on with its run, and export it; what was trained on, and how it went."""
    every = read_examples(data / EXAMPLES)
    start = load_base(base, work)
    model, figures = start.model, dict[str, float]()
    examples = of_arm(every, arm, Split.TRAIN)
    if examples:
        held_out = of_arm(every, arm, Split.DEV)
        model, figures = fine_tune(start, examples, held_out, recipe, work / arm, say)
    facts = {
        "arm": arm.value,
        "paper": "CoV-RAG, arXiv:2410.05801",
        "examples": dict(sorted(Counter(f"{each.task}/{each.kind}" for each in examples).items())),
        "recipe": asdict(recipe) if examples else {},
        "figures": figures,
    }
    card = export(model, start, out, f"cov-rag-{arm}-{start.name}", PROMPTS, facts)
    return dict(json.loads(card.model_dump_json()))
