"""Recipe: the trained cross-encoder to an int8 ONNX file that needs no torch at run time."""

from __future__ import annotations

import shutil
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch.nn import functional

from upheld.errors import ModelError
from upheld.training.export_embedder import OPSET, build_encoder, fuse_attention, quantise
from upheld.training.verifier.batches import Batch, Encoded, encode, grouped, padded, pair_tokenizer
from upheld.training.verifier.evaluate import scores
from upheld.training.verifier.model import CrossEncoder, kinds
from upheld.training.verifier.pairs import Pair

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MOST = 0.02  # mean distance of the probability of support from torch's; further is refused
INPUTS = ["input_ids", "attention_mask", "token_type_ids"]


@dataclass(frozen=True, slots=True)
class Exported:
    """What the recipe made, and how near it is to the model that was trained."""

    megabytes: float
    pairs: int
    mean_difference: float  # of the probability of support
    largest_difference: float
    mean_move: float  # of a pair's own score when it is scored alone and in a batch
    largest_move: float
    pairs_per_second: float


def export_verifier(model: CrossEncoder, base: Path, out: Path, pairs: Sequence[Pair]) -> Exported:
    """Write `model.onnx` and `tokenizer.json` under `out`; `pairs` are what it is checked on."""
    out.mkdir(parents=True, exist_ok=True)
    tokenizer = pair_tokenizer(base)
    tokenizer.save(str(out / "tokenizer.json"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model.base.save_pretrained(folder)
        write_graph(model, folder, folder / "wide.onnx")
        fuse_attention(folder, folder / "wide.onnx", folder / "fused.onnx")
        quantise(folder / "fused.onnx", folder / "small.onnx")
        report = compare(model, folder / "small.onnx", pairs, tokenizer)
        if report.mean_difference > MOST:
            raise ModelError(f"int8 moves the scores by {report.mean_difference:.3f} on average")
        shutil.copy(folder / "small.onnx", out / "model.onnx")
    return report


def plain(model: CrossEncoder, weights: Path) -> torch.nn.Module:
    """The cross-encoder with its transformer written out, as the embedder's export has it."""
    encoder = build_encoder(weights)
    types = model.base.state_dict()["embeddings.token_type_embeddings.weight"]

    class Plain(torch.nn.Module):  # type: ignore[misc]  # torch publishes no usable types
        """Token ids, mask and segments to three logits."""

        def __init__(self) -> None:
            super().__init__()
            self.encoder, self.mix, self.out = encoder, model.mix, model.out
            self.kinds = model.kinds
            self.register_buffer("claim", types[1] - types[0])  # positions hold types[0]

        def forward(self, ids: Any, mask: Any, segments: Any) -> Any:
            words = encoder.codes[ids].float() * encoder.scale[ids]
            marks = self.kinds(kinds(ids, mask, segments))
            side = segments.to(torch.float32)[:, :, None]
            x = encoder.norm(words + marks + side * self.claim + encoder.positions[: ids.size(1)])
            keep = mask.to(torch.float32)
            hidden_from = (1.0 - keep[:, None, None, :]) * -10000.0
            for layer in encoder.layers:
                x = layer(x, hidden_from)
            one = _mean(x, keep[:, :, None] * (1 - side))
            two = _mean(x, keep[:, :, None] * side)
            seen = torch.cat([x[:, 0], two, (one - two).abs(), one * two], dim=-1)
            return self.out(functional.gelu(self.mix(seen)))

    return Plain().eval()


def write_graph(model: CrossEncoder, weights: Path, target: Path) -> None:
    """Trace to ONNX with free batch and length."""
    ids = torch.randint(1000, 2000, (3, 9))
    segments = torch.zeros_like(ids)
    segments[:, 5:] = 1
    free = {0: "batch", 1: "length"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the reason stands in export_embedder.write_graph
        torch.onnx.export(
            plain(model, weights),
            (ids, torch.ones_like(ids), segments),
            str(target),
            input_names=INPUTS,
            output_names=["logits"],
            dynamic_axes={**dict.fromkeys(INPUTS, free), "logits": {0: "batch"}},
            opset_version=OPSET,
            dynamo=False,
        )


def compare(model: CrossEncoder, small: Path, pairs: Sequence[Pair], tokenizer: Any) -> Exported:
    """Distance of int8 from torch, of a pair alone from the same pair in a batch, and speed."""
    import numpy as np

    encoded = encode(pairs, tokenizer)
    run = onnx_model(small)
    started = time.perf_counter()
    ours = probabilities(run, encoded, 1_024)[:, 0]
    seconds = time.perf_counter() - started
    alone = probabilities(run, encoded, 0)[:, 0]
    away = np.abs(ours - scores(model, pairs, tokenizer)[:, 0])
    moved = np.abs(ours - alone)
    return Exported(
        megabytes=round(small.stat().st_size / 1e6, 2),
        pairs=len(pairs),
        mean_difference=round(float(away.mean()), 4),
        largest_difference=round(float(away.max()), 4),
        mean_move=round(float(moved.mean()), 4),
        largest_move=round(float(moved.max()), 4),
        pairs_per_second=round(len(pairs) / seconds, 1),
    )


def probabilities(
    run: Callable[[Batch], npt.NDArray[np.float32]], encoded: Sequence[Encoded], tokens: int
) -> npt.NDArray[np.float32]:
    """Scores in the order given, from batches of like length; no tokens: one by one."""
    import numpy as np

    order = sorted(range(len(encoded)), key=lambda i: len(encoded[i].ids))
    found = np.zeros((len(encoded), 3), np.float32)
    for group in grouped([len(encoded[i].ids) for i in order], tokens):
        logits = run(padded([encoded[order[i]] for i in group]))
        raised = np.exp(logits - logits.max(-1, keepdims=True))
        found[[order[i] for i in group]] = raised / raised.sum(-1, keepdims=True)
    return found


def onnx_model(path: Path) -> Callable[[Batch], npt.NDArray[np.float32]]:
    """An ONNX file as a function of a batch."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])

    def run(batch: Batch) -> npt.NDArray[np.float32]:
        feed = dict(zip(INPUTS, (batch.ids, batch.mask, batch.segments), strict=True))
        logits: npt.NDArray[np.float32] = session.run(None, feed)[0]
        return logits

    return run


def _mean(hidden: Any, keep: Any) -> Any:
    return (hidden * keep).sum(1) / keep.sum(1).clamp(min=1)
