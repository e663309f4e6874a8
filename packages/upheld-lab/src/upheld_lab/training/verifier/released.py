"""The released int8 verifier as the start of another run: its weights as floats again.

Only rounding is lost, and a run that goes on from them keeps what millions of tokens taught.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

START = "cross_encoder.safetensors"  # beside a published encoder's files: load these weights too


def released_base(model: Path, published: Path, out: Path) -> Path:
    """A folder to start from: the encoder that was trained, with the released weights beside it."""
    out.mkdir(parents=True, exist_ok=True)
    for each in published.iterdir():
        if each.is_file():
            shutil.copy(each, out / each.name)
    save_file(float_weights(model), out / START)
    return out


def float_weights(model: Path) -> dict[str, torch.Tensor]:
    """By name in `CrossEncoder`: what `smoothed`, `ByteWords` and `quantise` made, undone."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(model)).graph
    kept = {each.name: torch.tensor(numpy_helper.to_array(each)) for each in graph.initializer}
    found = {_plain(name): value for name, value in kept.items() if _is_parameter(name)}
    words = "base.embeddings.word_embeddings"
    found[f"{words}.weight"] = kept[f"{words}.codes"].float() * kept[f"{words}.scale"]
    for node in graph.node:
        if node.op_type == "MatMulInteger":
            layer = _layer(node.name)
            share = kept.get(f"{layer}.share", torch.ones(1))
            found[f"{layer}.weight"] = (_floats(kept, node.input[1]).T * share).contiguous()
    return found


def _floats(kept: dict[str, Any], quantised: str) -> torch.Tensor:
    name = quantised.removesuffix("_quantized")
    codes = kept[quantised].float() - kept[f"{name}_zero_point"].float()
    return codes * kept[f"{name}_scale"]


def _layer(node: str) -> str:
    """The module of a node: `/base/layer.0/dense/linear/MatMul_quant` is `base.layer.0.dense`."""
    path = node.strip("/").split("/")[:-1]
    return ".".join(part for part in path if part != "linear")


def _is_parameter(name: str) -> bool:
    return name.endswith((".weight", ".bias")) and not name.startswith("onnx::")


def _plain(name: str) -> str:
    return name.replace(".linear.", ".")
