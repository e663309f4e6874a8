"""GGUF files with trained weights: the file of the base, with its tokenizer, and new tensors.

Names and metadata are those of the base's file, so that a server treats both alike. Bases that are
folders of `transformers` have no such file: their merged weights are for vLLM, or for llama.cpp's
own converter.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gguf
import numpy as np
import numpy.typing as npt

from upheld.errors import UsageError

Weights = npt.NDArray[np.float32]

# llama.cpp turns pairs of neighbouring values, `transformers` the two halves of a head.
_TURNED = {"llama": True, "qwen2": False, "qwen3": False}
_OWN_KEYS = {"GGUF.version", "GGUF.tensor_count", "GGUF.kv_count", "general.architecture"}
_FILE_TYPE = "general.file_type"


def write_gguf(base: Path, weights: dict[str, Weights], out: Path, *, half: bool = False) -> None:
    """Write the base's file with these weights, named as in `transformers`, in 32 or 16 bits.

    Raises `UsageError` for an architecture whose layout is not known, or if weights are missing.
    """
    reader = gguf.GGUFReader(base)
    architecture = str(_value(reader, "general.architecture"))
    if architecture not in _TURNED:
        known = ", ".join(_TURNED)
        raise UsageError(f"GGUF files of {architecture} cannot be written.", help=f"Known: {known}")
    out.parent.mkdir(parents=True, exist_ok=True)
    writer = gguf.GGUFWriter(out, architecture)
    for key, field in reader.fields.items():
        if key not in _OWN_KEYS | {_FILE_TYPE, "general.quantization_version"}:
            _copy(writer, key, field)
    kind = gguf.LlamaFileType.MOSTLY_F16 if half else gguf.LlamaFileType.ALL_F32
    writer.add_file_type(kind)
    by_name = _named(reader, architecture, weights)
    for tensor in reader.tensors:
        if tensor.name not in by_name:
            raise UsageError(f"The model has no weights for {tensor.name} of {base.name}.")
        values = by_name[tensor.name]
        small = half and values.ndim > 1  # norms stay as they are
        writer.add_tensor(tensor.name, values.astype(np.float16 if small else np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _named(reader: Any, architecture: str, weights: dict[str, Weights]) -> dict[str, Weights]:
    """The weights under the names of the GGUF file, in its order of rows."""
    layers = int(_value(reader, f"{architecture}.block_count"))
    heads = int(_value(reader, f"{architecture}.attention.head_count"))
    groups = int(_value(reader, f"{architecture}.attention.head_count_kv", heads))
    kind = next(key for key, name in gguf.MODEL_ARCH_NAMES.items() if name == architecture)
    names = gguf.get_tensor_name_map(kind, layers)
    found = {}
    for name, values in weights.items():
        known = names.get_name(name, try_suffixes=(".weight", ".bias"))
        if known is None:
            continue
        parts = heads if ".q_proj." in name else groups if ".k_proj." in name else 0
        found[known] = turned(values, parts) if parts and _TURNED[architecture] else values
    return found


def turned(values: Weights, heads: int) -> Weights:
    """The rows of every head, its two halves interleaved."""
    size = values.shape[0] // heads // 2
    parts = values.reshape(heads, 2, size, *values.shape[1:])
    return parts.swapaxes(1, 2).reshape(values.shape)


def _value(reader: Any, key: str, default: object = None) -> Any:
    field = reader.get_field(key)
    return default if field is None else field.contents()


def _copy(writer: Any, key: str, field: Any) -> None:
    kind = field.types[0]
    if kind == gguf.GGUFValueType.ARRAY:
        writer.add_key_value(key, field.contents(), kind, sub_type=field.types[-1])
    else:
        writer.add_key_value(key, field.contents(), kind)
