"""Quick figures while a grader trains, and the scale of its probabilities, both on dev rows."""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import torch

from upheld_lab.bench.verify.figures import auc
from upheld_lab.training.grader.examples import DOES_NOT, HELPS, Example
from upheld_lab.training.verifier.evaluate import scores
from upheld_lab.training.verifier.model import CrossEncoder

SAMPLE = 120  # rows a source while it trains
SCALED_ON = 3_000  # rows, for two numbers


def watch(
    dev: Sequence[Example], tokenizer: Any, *, bf16: bool
) -> Callable[[CrossEncoder], dict[str, float]]:
    """A function from a model to its AUC on each kind of row."""
    sources: dict[str, list[Example]] = defaultdict(list)
    for example in dev:
        if len(sources[example.source]) < SAMPLE:
            sources[example.source].append(example)

    def figures(model: CrossEncoder) -> dict[str, float]:
        found = {}
        for name, examples in sorted(sources.items()):
            helps = scores(model, examples, tokenizer, bf16=bf16)[:, HELPS]
            found[name] = round(auc(helps.tolist(), [each.helps for each in examples]), 3)
        return found

    return figures


def calibrated(
    model: CrossEncoder, dev: Sequence[Example], tokenizer: Any
) -> tuple[CrossEncoder, float, float]:
    """The same model with true probabilities (Platt 1999): scale and shift go into its last layer.

    So the file of weights needs no numbers beside it, and has one scale for ever.
    """
    rows = dev[:SCALED_ON]
    probability = torch.from_numpy(scores(model, rows, tokenizer)).double().clamp(min=1e-9)
    logit = probability[:, HELPS].log() - probability[:, DOES_NOT].log()
    truth = torch.tensor([float(each.helps) for each in rows], dtype=torch.double)
    fit = torch.tensor([1.0, 0.0], dtype=torch.double, requires_grad=True)
    optimiser = torch.optim.LBFGS([fit], max_iter=100)

    def loss() -> torch.Tensor:
        optimiser.zero_grad()
        value = torch.nn.functional.binary_cross_entropy_with_logits(fit[0] * logit + fit[1], truth)
        value.backward()
        return value

    optimiser.step(loss)
    scale, shift = fit.tolist()
    found = copy.deepcopy(model)
    with torch.no_grad():
        found.out.weight *= scale
        found.out.bias *= scale
        found.out.bias[HELPS] += shift
    return found, scale, shift
