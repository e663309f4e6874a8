"""Recipe: the trained cross-encoder to an int8 ONNX file that needs no torch at run time."""

from __future__ import annotations

import copy
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from upheld.errors import ModelError
from upheld_lab.training.export_embedder import OPSET, quantise
from upheld_lab.training.verifier.batches import Batch, Readable, encode, padded, pair_tokenizer
from upheld_lab.training.verifier.evaluate import scores
from upheld_lab.training.verifier.model import CrossEncoder
from upheld_lab.training.verifier.smooth import smoothed

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MOST = 0.02  # mean distance of the first output's probability from torch's; further is refused
SMOOTHED_ON = 60  # pairs; the others check the export
INPUTS = ["input_ids", "attention_mask", "token_type_ids"]


@dataclass(frozen=True, slots=True)
class Exported:
    """What the recipe made, and how near it is to the model that was trained."""

    megabytes: float
    pairs: int
    mean_difference: float  # of the probability of the first output
    largest_difference: float
    pairs_per_second: float


def export_cross_encoder(
    model: CrossEncoder, base: Path, out: Path, pairs: Sequence[Readable]
) -> Exported:
    """Write `model.onnx` and `tokenizer.json` under `out`; `pairs` are what it is checked on."""
    out.mkdir(parents=True, exist_ok=True)
    tokenizer = pair_tokenizer(base)
    tokenizer.save(str(out / "tokenizer.json"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        easier = smoothed(model, pairs[:SMOOTHED_ON], tokenizer)
        write_graph(easier, folder / "wide.onnx")
        fuse(model, folder / "wide.onnx", folder / "fused.onnx")
        quantise(folder / "fused.onnx", folder / "small.onnx")
        report = compare(model, folder / "small.onnx", pairs[SMOOTHED_ON:], tokenizer)
        if report.mean_difference > MOST:
            raise ModelError(f"int8 moves the scores by {report.mean_difference:.3f} on average")
        shutil.copy(folder / "small.onnx", out / "model.onnx")
    return report


class ByteWords(torch.nn.Module):  # type: ignore[misc]  # torch publishes no usable types
    """A table of words in bytes with one scale a row: a third of the file, at no cost."""

    def __init__(self, words: torch.Tensor) -> None:
        super().__init__()
        scale = words.abs().amax(1, keepdim=True).clamp(min=1e-8) / 127
        self.register_buffer("scale", scale)
        self.register_buffer("codes", torch.round(words / scale).to(torch.int8))

    def forward(self, ids: Any) -> Any:
        return self.codes[ids].float() * self.scale[ids]


def write_graph(model: CrossEncoder, target: Path) -> None:
    """Trace to ONNX with free batch and length."""
    small = copy.deepcopy(model).eval()
    small.base.set_input_embeddings(ByteWords(model.base.get_input_embeddings().weight.detach()))
    ids = torch.randint(1000, 2000, (3, 9))
    segments = torch.zeros_like(ids)
    segments[:, 5:] = 1
    free = {0: "batch", 1: "length"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the reason stands in export_embedder.write_graph
        torch.onnx.export(
            small,
            (ids, torch.ones_like(ids), segments),
            str(target),
            input_names=INPUTS,
            output_names=["logits"],
            dynamic_axes={**dict.fromkeys(INPUTS, free), "logits": {0: "batch"}},
            opset_version=OPSET,
            dynamo=False,
        )


def fuse(model: CrossEncoder, source: Path, target: Path) -> None:
    """Join what onnxruntime knows to join: normalisation, GELU, BERT's attention."""
    from onnxruntime.transformers import optimizer

    config = model.base.config
    heads, width = config.num_attention_heads, config.hidden_size
    joined = optimizer.optimize_model(
        str(source), model_type="bert", num_heads=heads, hidden_size=width, opt_level=0
    )
    joined.save_model_to_file(str(target))


def compare(
    model: CrossEncoder, small: Path, pairs: Sequence[Readable], tokenizer: Any
) -> Exported:
    """Distance of int8 from torch, each pair alone as the verifier runs it, and speed."""
    import numpy as np

    encoded = encode(pairs, tokenizer)
    run = onnx_model(small)
    started = time.perf_counter()
    ours = np.array([_first(run(padded([one]))) for one in encoded])
    seconds = time.perf_counter() - started
    away = np.abs(ours - scores(model, pairs, tokenizer)[:, 0])
    return Exported(
        megabytes=round(small.stat().st_size / 1e6, 2),
        pairs=len(pairs),
        mean_difference=round(float(away.mean()), 4),
        largest_difference=round(float(away.max()), 4),
        pairs_per_second=round(len(pairs) / seconds, 1),
    )


def _first(logits: npt.NDArray[np.float32]) -> float:
    import numpy as np

    raised = np.exp(logits[0] - logits[0].max())
    return float(raised[0] / raised.sum())


def onnx_model(path: Path) -> Callable[[Batch], npt.NDArray[np.float32]]:
    """An ONNX file as a function of a batch."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])

    def run(batch: Batch) -> npt.NDArray[np.float32]:
        feed = dict(zip(INPUTS, (batch.ids, batch.mask, batch.segments), strict=True))
        logits: npt.NDArray[np.float32] = session.run(None, feed)[0]
        return logits

    return run
