"""What a run leaves: the adapter for PEFT, merged weights, a GGUF file, and the model's card."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from accelerate import PartialState

from upheld.prompts.card import ModelCard, fingerprint
from upheld.version import __version__
from upheld_lab.training.language_model.base import ADAPTER, GGUF, MERGED, Base
from upheld_lab.training.language_model.gguf_export import write_gguf

CARD, README = "card.json", "README.md"


def export(
    trained: Any,
    base: Base,
    out: Path,
    name: str,
    prompts: Sequence[str],
    facts: Mapping[str, object],
    *,
    half: bool = False,
) -> ModelCard:
    """Write everything under `out`; `trained` is the base with its adapter.

    Of several processes on several GPUs, the first one writes.
    """
    card = ModelCard.model_validate(
        {
            "name": name,
            "base": base.name,
            "upheld": __version__,
            "prompts": {each: fingerprint(each) or "" for each in prompts},
            **facts,
        }
    )
    if not PartialState().is_main_process:
        return card
    out.mkdir(parents=True, exist_ok=True)
    if hasattr(trained, "merge_and_unload"):  # the base itself has no adapter
        trained.save_pretrained(out / ADAPTER)
        trained = trained.merge_and_unload()
    trained.save_pretrained(out / MERGED)
    base.tokenizer.save_pretrained(out / MERGED)
    if base.gguf is not None:
        write_gguf(base.gguf, plain_weights(trained), out / GGUF, half=half)
    (out / CARD).write_text(card.model_dump_json(indent=1) + "\n", encoding="utf-8")
    (out / README).write_text(readme(card), encoding="utf-8")
    return card


def plain_weights(model: Any) -> dict[str, Any]:
    """The weights as arrays of 32 bits, by their names in `transformers`."""
    return {
        name: each.detach().to(torch.float32).cpu().numpy()
        for name, each in model.state_dict().items()
    }


def readme(card: ModelCard) -> str:
    """The card for people."""
    facts = {**(card.model_extra or {})}
    lines = [
        f"# {card.name}",
        "",
        f"Made by Upheld {card.upheld} from {card.base}. It knows the prompts of that version:",
        "set `model_cards` to the file card.json beside this one, and `upheld doctor` warns when",
        "they change.",
        "",
        "| prompt | fingerprint |",
        "|---|---|",
        *(f"| {name} | `{known}` |" for name, known in card.prompts.items()),
        "",
        "```json",
        json.dumps(facts, indent=1, ensure_ascii=False),
        "```",
    ]
    return "\n".join(lines) + "\n"
