"""Recipe: all-MiniLM-L6-v2 to an int8 ONNX embedder that needs no torch at run time.

    upheld train embedder --weights DIR --out packages/upheld-models/src/upheld_models/embedder

DIR holds the published files (`model.safetensors`, `config.json`, `tokenizer.json`). The forward
pass is written out here because the stock export of BertModel depends on the version of its
library; the export is checked against that library's own forward pass before it is kept.
Figures and choices: docs/decisions/004-embedder-runtime.md.
"""

from __future__ import annotations

import json
import math
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from upheld.errors import MissingExtraError, ModelError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MAX_TOKENS = 256  # where the published model cuts; it was tuned at 128
MIN_COSINE = 0.975  # an export further than this from the original on any text is refused
OPSET = 17
FLOAT = 1  # onnx.TensorProto.FLOAT

Model = Callable[["npt.NDArray[np.int64]", "npt.NDArray[np.int64]"], "npt.NDArray[np.float32]"]

_LAYER = {  # our names to the published ones
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "attended": "attention.output.dense",
    "attended_norm": "attention.output.LayerNorm",
    "up": "intermediate.dense",
    "down": "output.dense",
    "down_norm": "output.LayerNorm",
}


@dataclass(frozen=True, slots=True)
class Exported:
    """What the recipe made, and how near it is to the original."""

    megabytes: float
    texts: int
    mean_tokens: float
    mean_cosine: float
    min_cosine: float
    texts_per_second: dict[str, float]


def export_embedder(weights: Path, out: Path, texts: Sequence[str]) -> Exported:
    """Write `model.onnx` and `tokenizer.json` under `out`; `texts` are what it is checked on."""
    out.mkdir(parents=True, exist_ok=True)
    write_tokenizer(weights / "tokenizer.json", out / "tokenizer.json")
    with tempfile.TemporaryDirectory() as folder:
        wide, fused = Path(folder) / "fp32.onnx", Path(folder) / "fused.onnx"
        small = Path(folder) / "int8.onnx"
        write_graph(weights, wide)
        fuse_attention(weights, wide, fused)
        quantise(fused, small)
        report = compare(weights, wide, small, out / "tokenizer.json", texts)
        if report.min_cosine < MIN_COSINE:
            raise ModelError(
                f"the int8 export is too far from the original: cosine {report.min_cosine:.4f}"
            )
        shutil.copy(small, out / "model.onnx")
    return report


def write_tokenizer(source: Path, target: Path) -> None:
    """The published tokenizer, without its padding and cut at the length the model knows."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(source))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.save(str(target))


def build_encoder(weights: Path) -> Any:
    """The encoder as a plain torch module: row-wise int8 word table, mean pooling, unit length."""
    try:
        import torch
        from torch import nn
        from torch.nn import functional
        from transformers import BertModel
    except ImportError as missing:
        raise MissingExtraError("Exporting the embedder", "train") from missing

    config = json.loads((weights / "config.json").read_text())
    published = BertModel.from_pretrained(weights).state_dict()
    width, heads = config["hidden_size"], config["num_attention_heads"]
    eps = config["layer_norm_eps"]

    class Layer(nn.Module):  # type: ignore[misc]  # torch publishes no usable types
        """One transformer layer, in the shape that onnxruntime's attention fusion knows."""

        def __init__(self) -> None:
            super().__init__()
            self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
            self.attended = nn.Linear(width, width)
            self.attended_norm = nn.LayerNorm(width, eps=eps)
            self.up = nn.Linear(width, config["intermediate_size"])
            self.down = nn.Linear(config["intermediate_size"], width)
            self.down_norm = nn.LayerNorm(width, eps=eps)

        def split(self, x: Any) -> Any:
            return x.view(x.size(0), x.size(1), heads, width // heads).permute(0, 2, 1, 3)

        def forward(self, x: Any, mask: Any) -> Any:
            query, key, value = (self.split(f(x)) for f in (self.query, self.key, self.value))
            scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(width // heads)
            seen = torch.matmul(torch.softmax(scores + mask, -1), value)
            seen = seen.permute(0, 2, 1, 3).contiguous().view(x.size(0), x.size(1), width)
            x = self.attended_norm(self.attended(seen) + x)
            return self.down_norm(self.down(functional.gelu(self.up(x))) + x)

    class Encoder(nn.Module):  # type: ignore[misc]  # torch publishes no usable types
        """Token ids and their mask to one vector of length one."""

        def __init__(self) -> None:
            super().__init__()
            words = published["embeddings.word_embeddings.weight"]
            # One scale a row: half the file is this table, and one scale for all of it costs
            # accuracy that a scale a word does not.
            scale = words.abs().amax(1, keepdim=True).clamp(min=1e-8) / 127
            self.register_buffer("scale", scale)
            self.register_buffer("codes", torch.round(words / scale).to(torch.int8))
            segment = published["embeddings.token_type_embeddings.weight"][0]  # only one is used
            self.register_buffer(
                "positions", published["embeddings.position_embeddings.weight"] + segment
            )
            self.norm = nn.LayerNorm(width, eps=eps)
            self.layers = nn.ModuleList(Layer() for _ in range(config["num_hidden_layers"]))

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            words = self.codes[input_ids].float() * self.scale[input_ids]
            x = self.norm(words + self.positions[: input_ids.size(1)])
            keep = attention_mask.to(torch.float32)
            mask = (1.0 - keep[:, None, None, :]) * -10000.0
            for layer in self.layers:
                x = layer(x, mask)
            keep = keep[:, :, None]
            return functional.normalize((x * keep).sum(1) / keep.sum(1).clamp(min=1e-9), dim=-1)

    encoder = Encoder()
    renamed = {f"norm.{p}": published[f"embeddings.LayerNorm.{p}"] for p in ("weight", "bias")}
    for number in range(config["num_hidden_layers"]):
        for ours, theirs in _LAYER.items():
            for part in ("weight", "bias"):
                name = f"encoder.layer.{number}.{theirs}.{part}"
                renamed[f"layers.{number}.{ours}.{part}"] = published[name]
    _, unknown = encoder.load_state_dict(renamed, strict=False)
    if unknown:
        raise ModelError(f"weights that the encoder does not know: {unknown}")
    return encoder.eval()


def write_graph(weights: Path, target: Path) -> None:
    """Trace the encoder to ONNX with free batch and length."""
    import torch

    ids = torch.randint(1000, 2000, (3, 9))
    free = {0: "batch", 1: "length"}
    with warnings.catch_warnings():
        # The tracing exporter is marked as the older one; the newer wants another package and
        # gives a graph whose attention onnxruntime does not recognise.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            build_encoder(weights),
            (ids, torch.ones_like(ids)),
            str(target),
            input_names=["input_ids", "attention_mask"],
            output_names=["embedding"],
            dynamic_axes={"input_ids": free, "attention_mask": free, "embedding": {0: "batch"}},
            opset_version=OPSET,
            dynamo=False,
        )


def fuse_attention(weights: Path, source: Path, target: Path) -> None:
    """Join each layer's attention, GELU and normalisation into one operator each."""
    from onnxruntime.transformers import optimizer

    config = json.loads((weights / "config.json").read_text())
    model = optimizer.optimize_model(
        str(source),
        model_type="bert",
        num_heads=config["num_attention_heads"],
        hidden_size=config["hidden_size"],
        opt_level=0,
    )
    fused = model.get_fused_operator_statistics()["Attention"]
    if fused != config["num_hidden_layers"]:
        raise ModelError(f"attention was fused in {fused} layers only")
    model.save_model_to_file(str(target))


def quantise(source: Path, target: Path) -> None:
    """Weights to int8 by channel, in 7 bits.

    Processors without VNNI add pairs of 8-bit products in 16 bits; with weights in 7 bits that
    sum cannot overflow, so the model gives the same vectors on old and new machines.
    """
    from onnxruntime.quantization import quantize_dynamic

    quantize_dynamic(
        str(source),
        str(target),
        per_channel=True,
        reduce_range=True,
        op_types_to_quantize=["MatMul", "Attention"],
        extra_options={"DefaultTensorType": FLOAT},
    )


def compare(
    weights: Path, wide: Path, small: Path, tokenizer: Path, texts: Sequence[str]
) -> Exported:
    """Distance of the int8 vectors from the published model's, and the speed of each runtime."""
    import numpy as np
    from tokenizers import Tokenizer

    cut = Tokenizer.from_file(str(tokenizer))
    tokens = [encoding.ids for encoding in cut.encode_batch(list(texts))]
    models = {
        "torch fp32": _torch_model(weights),
        "onnx fp32": _onnx_model(wide),
        "onnx int8": _onnx_model(small),
    }
    seconds: dict[str, list[float]] = {name: [] for name in models}
    vectors: dict[str, npt.NDArray[np.float32]] = {}
    for _ in range(3):  # interleaved, because machines are shared
        for name, model in models.items():
            started = time.perf_counter()
            vectors[name] = _run(model, tokens)
            seconds[name].append(time.perf_counter() - started)
    cosine = (vectors["torch fp32"] * vectors["onnx int8"]).sum(1)
    return Exported(
        megabytes=round(small.stat().st_size / 1e6, 2),
        texts=len(tokens),
        mean_tokens=round(float(np.mean([len(ids) for ids in tokens])), 1),
        mean_cosine=round(float(cosine.mean()), 5),
        min_cosine=round(float(cosine.min()), 5),
        texts_per_second={
            name: round(len(tokens) / float(np.median(times)), 1) for name, times in seconds.items()
        },
    )


def _run(model: Model, tokens: Sequence[Sequence[int]]) -> npt.NDArray[np.float32]:
    """The same batches for every runtime: sorted by length, eight at a time."""
    import numpy as np

    order = sorted(range(len(tokens)), key=lambda i: len(tokens[i]))
    found: list[npt.NDArray[np.float32]] = [np.empty(0, np.float32)] * len(tokens)
    for first in range(0, len(order), 8):
        batch = order[first : first + 8]
        ids = np.zeros((len(batch), max(len(tokens[i]) for i in batch)), np.int64)
        mask = np.zeros_like(ids)
        for row, i in enumerate(batch):
            ids[row, : len(tokens[i])] = tokens[i]
            mask[row, : len(tokens[i])] = 1
        for i, vector in zip(batch, model(ids, mask), strict=True):
            found[i] = vector
    return np.stack(found)


def _torch_model(weights: Path) -> Model:
    """The published forward pass, by the library it was published with."""
    import torch
    from torch.nn import functional
    from transformers import BertModel

    model = BertModel.from_pretrained(weights).eval()

    def run(ids: Any, mask: Any) -> Any:
        with torch.inference_mode():
            keep = torch.from_numpy(mask)
            hidden = model(torch.from_numpy(ids), attention_mask=keep).last_hidden_state
            pooled = (hidden * keep[:, :, None]).sum(1) / keep.sum(1, keepdim=True)
            return functional.normalize(pooled, dim=-1).numpy()

    return run


def _onnx_model(path: Path) -> Model:
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return lambda ids, mask: session.run(None, {"input_ids": ids, "attention_mask": mask})[0]
