"""Checkpoints: tensors by name and plain JSON, so that a later rename of a class breaks nothing.

A folder `checkpoint/` holds `state.safetensors` (weights, both moments of AdamW, the state of the
random numbers) and `state.json` (steps, tokens, what the run was fed). It is replaced as a whole:
a run that is killed while it writes finds the one before.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from upheld.errors import ModelError

FOLDER, TENSORS, FACTS = "checkpoint", "state.safetensors", "state.json"
_MODEL, _FIRST, _SECOND, _RANDOM = "model.", "adam.first.", "adam.second.", "random"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has come."""

    steps: int = 0
    tokens: int = 0
    seconds: float = 0.0  # of processor time
    fed: str = ""  # fingerprint of the pairs: batches are found again by their number only


def save(work: Path, model: Any, optimiser: Any, progress: Progress) -> None:
    """Write everything that a run needs to go on as if it had not stopped."""
    named = dict(model.named_parameters())
    tensors = {f"{_MODEL}{name}": value for name, value in model.state_dict().items()}
    for name, parameter in named.items():
        if state := optimiser.state.get(parameter):
            tensors[f"{_FIRST}{name}"] = state["exp_avg"]
            tensors[f"{_SECOND}{name}"] = state["exp_avg_sq"]
    tensors[_RANDOM] = torch.get_rng_state()
    new = work / f"{FOLDER}.new"
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    save_file({name: value.contiguous().clone() for name, value in tensors.items()}, new / TENSORS)
    (new / FACTS).write_text(json.dumps(asdict(progress), indent=1))
    old, here = work / f"{FOLDER}.old", work / FOLDER
    shutil.rmtree(old, ignore_errors=True)
    if here.exists():
        here.rename(old)
    new.rename(here)
    shutil.rmtree(old, ignore_errors=True)


def restore(work: Path, model: Any, optimiser: Any, fed: str) -> Progress:
    """Bring model and optimiser to where the last checkpoint was; a new run begins at zero."""
    here = next((f for f in (work / FOLDER, work / f"{FOLDER}.old") if _is_whole(f)), None)
    if here is None:
        return Progress(fed=fed)
    progress = Progress(**json.loads((here / FACTS).read_text()))
    if progress.fed != fed:
        raise ModelError(f"{here} was trained on other pairs.", help="Take a new --work folder.")
    tensors = load_file(here / TENSORS)
    model.load_state_dict(
        {name.removeprefix(_MODEL): t for name, t in tensors.items() if name.startswith(_MODEL)}
    )
    for name, parameter in model.named_parameters():
        if f"{_FIRST}{name}" in tensors:
            optimiser.state[parameter] = {
                "step": torch.tensor(float(progress.steps)),
                "exp_avg": tensors[f"{_FIRST}{name}"],
                "exp_avg_sq": tensors[f"{_SECOND}{name}"],
            }
    torch.set_rng_state(tensors[_RANDOM])
    return progress


def _is_whole(folder: Path) -> bool:
    return (folder / TENSORS).is_file() and (folder / FACTS).is_file()
