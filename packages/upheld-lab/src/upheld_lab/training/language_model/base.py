"""The model to start from: a folder of `transformers`, or a GGUF file, whose weights are unpacked.

A quantised file is read into plain weights and saved once, since neither LoRA nor an export can
work on packed ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from accelerate import PartialState
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

from upheld.errors import NotFoundError

ADAPTER, MERGED, GGUF = "adapter", "merged", "model.gguf"  # what an export holds


@dataclass(frozen=True, slots=True)
class Base:
    """A model and its tokenizer, and the GGUF file that they come from, if they do."""

    name: str
    folder: Path  # plain weights
    model: Any
    tokenizer: Any
    gguf: Path | None = None


def load_base(path: Path, work: Path) -> Base:
    """Load a model; a GGUF file is unpacked into `work/base` first, once.

    What `export` wrote is a base, too: its merged weights, and its GGUF file if it has one.
    """
    if not path.exists():
        raise NotFoundError(
            f"There is no {path}.", help="--base is a folder of transformers or a GGUF file."
        )
    gguf = path if path.is_file() else path / GGUF
    if path.is_file():
        with PartialState().main_process_first():
            folder = unpacked(path, work / "base")
    else:
        folder = path / MERGED if (path / MERGED).is_dir() else path
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return Base(path.stem, folder, model, tokenizer, gguf if gguf.is_file() else None)


def unpacked(gguf: Path, folder: Path) -> Path:
    """Write the weights of a GGUF file as plain ones, with the tokenizer; done once."""
    if (folder / "config.json").exists():
        return folder
    source = {"pretrained_model_name_or_path": gguf.parent, "gguf_file": gguf.name}
    packed = AutoModelForCausalLM.from_pretrained(**source, dtype=torch.float32)
    config = AutoConfig.from_pretrained(**source)
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    plain = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    plain.load_state_dict(packed.state_dict())
    AutoTokenizer.from_pretrained(**source).save_pretrained(folder)
    plain.save_pretrained(folder)
    return folder
