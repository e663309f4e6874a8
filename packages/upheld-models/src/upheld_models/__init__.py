"""Weights that Upheld ships, as files: small int8 ONNX models and their tokenizers."""

from __future__ import annotations

from pathlib import Path

__all__ = [
    "embedder_model",
    "embedder_tokenizer",
    "grader_fit",
    "grader_model",
    "grader_tokenizer",
]

_HERE = Path(__file__).parent


def embedder_model() -> Path:
    """all-MiniLM-L6-v2 as int8 ONNX: `input_ids`, `attention_mask` to a 384-wide unit vector."""
    return _HERE / "embedder" / "model.onnx"


def embedder_tokenizer() -> Path:
    """The tokenizer that belongs to `embedder_model`."""
    return _HERE / "embedder" / "tokenizer.json"


def grader_model() -> Path:
    """A cross-encoder as int8 ONNX: a text and a query to logits of helping and not helping."""
    return _HERE / "grader" / "model.onnx"


def grader_tokenizer() -> Path:
    """The tokenizer that belongs to `grader_model`."""
    return _HERE / "grader" / "tokenizer.json"


def grader_fit() -> Path:
    """From where on the scores of `grader_model` call for an action."""
    return _HERE / "grader" / "fit.json"
