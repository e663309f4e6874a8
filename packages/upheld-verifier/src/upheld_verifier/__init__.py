"""The weights of Upheld's verifier, as files: an int8 ONNX model, its tokenizer and its fit."""

from __future__ import annotations

from pathlib import Path

__all__ = ["verifier_fit", "verifier_model", "verifier_tokenizer"]

_HERE = Path(__file__).parent


def verifier_model() -> Path:
    """A cross-encoder as int8 ONNX: a premise and a claim to logits of three outcomes."""
    return _HERE / "model.onnx"


def verifier_tokenizer() -> Path:
    """The tokenizer that belongs to `verifier_model`."""
    return _HERE / "tokenizer.json"


def verifier_fit() -> Path:
    """How the scores of `verifier_model` are weighed, and from where on they count."""
    return _HERE / "fit.json"
