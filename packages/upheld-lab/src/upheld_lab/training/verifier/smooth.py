"""Before int8: activations that stick out are made smaller, and the weights they meet larger.

A few channels are many times as large as the rest, and one scale for all of them leaves little
for the others. Dividing each channel by a factor and multiplying the weights' rows by it changes
nothing but what quantising loses. After SmoothQuant (Xiao et al. 2022, arXiv:2211.10438), with
the division written out, since what goes into a layer is also added to what comes out of it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from upheld_lab.training.verifier.batches import Readable
from upheld_lab.training.verifier.evaluate import scores
from upheld_lab.training.verifier.model import CrossEncoder

SHARE = 0.65  # of a channel's size that the weights take over; 0.5 and 0.8 were further from torch
_LEAST = 1e-4


class Smoothed(nn.Module):  # type: ignore[misc]  # torch publishes no usable types
    """A linear layer whose input is divided by channel, and whose weights make up for it."""

    def __init__(self, linear: nn.Linear, factor: Tensor) -> None:
        super().__init__()
        self.linear = copy.deepcopy(linear)
        self.linear.weight.data *= factor
        self.register_buffer("share", 1 / factor)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x * self.share)


def smoothed(model: CrossEncoder, pairs: Sequence[Readable], tokenizer: Any) -> CrossEncoder:
    """The same model, easier to quantise; `pairs` show how large its channels become."""
    largest = _largest(model, pairs, tokenizer)
    found: CrossEncoder = copy.deepcopy(model)
    encoder = found.base.encoder
    for name, most in largest.items():
        parent, _, own = name.rpartition(".")
        linear = encoder.get_submodule(name)
        weights = linear.weight.detach().abs().amax(0).clamp(min=_LEAST)
        factor = (most.clamp(min=_LEAST) ** SHARE / weights ** (1 - SHARE)).clamp(min=_LEAST)
        setattr(encoder.get_submodule(parent), own, Smoothed(linear, factor))
    return found


def _largest(model: CrossEncoder, pairs: Sequence[Readable], tokenizer: Any) -> dict[str, Tensor]:
    """By linear layer: the largest value of each channel that goes into it."""
    found: dict[str, Tensor] = {}

    def look(name: str) -> Callable[[nn.Module, tuple[Tensor, ...], Tensor], None]:
        def hook(_: nn.Module, given: tuple[Tensor, ...], __: Tensor) -> None:
            most = given[0].detach().abs().flatten(0, -2).amax(0)
            found[name] = torch.maximum(found.get(name, most), most)

        return hook

    layers = model.base.encoder.named_modules()
    hooks = [
        layer.register_forward_hook(look(name))
        for name, layer in layers
        if isinstance(layer, nn.Linear)
    ]
    try:
        scores(model, pairs, tokenizer)
    finally:
        for hook in hooks:
            hook.remove()
    return found
