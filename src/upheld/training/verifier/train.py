"""The recipe: one readable loop with a budget of tokens, checkpoints, resume and a log.

upheld train verifier --base all-mpnet-base-v2/ --data PACK --work RUN --out MODEL
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from upheld.errors import ModelError
from upheld.training.verifier.batches import Batch, Encoded, batches
from upheld.training.verifier.model import CrossEncoder, loss


@dataclass(frozen=True, slots=True)
class Recipe:
    """What decides the outcome; kept beside the weights."""

    tokens: int = 4_000_000  # padded, over the whole run
    layers: int | None = None  # of the base, from below; all
    outputs: int = 3  # Label.ENTAILS, CONTRADICTS, NEUTRAL
    batch_tokens: int = 2_048
    rate: float = 5e-5
    head_rate: float = 5e-4
    warm_up: float = 0.06
    decay: float = 0.01
    seed: int = 0
    bf16: bool = False
    freeze_words: bool = True  # half of the parameters, and rare words would be learnt by one row
    minutes_a_checkpoint: float = 5.0


Log = Callable[[dict[str, Any]], None]


def train(
    base: Path,
    encoded: Sequence[Encoded],
    recipe: Recipe,
    work: Path,
    evaluate: Callable[[CrossEncoder], dict[str, float]],
) -> CrossEncoder:
    """Train until the tokens are spent; what an earlier run left in `work` is continued."""
    work.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(recipe.seed)
    model = CrossEncoder.from_folder(base, recipe.layers, recipe.outputs)
    model.base.get_input_embeddings().weight.requires_grad_(not recipe.freeze_words)
    optimiser = torch.optim.AdamW(_groups(model, recipe), fused=True)
    kept = work / "checkpoint.pt"
    spent = steps = 0
    fed = _fingerprint(encoded)
    if kept.exists():
        state = torch.load(kept, weights_only=True)
        if state.get("fed", fed) != fed:
            raise ModelError(f"{kept} was trained on other pairs; take a new folder")
        model.load_state_dict(state["model"])
        optimiser.load_state_dict(state["optimiser"])
        spent, steps = state["spent"], state["steps"]
    log = _log(work)
    log({"recipe": asdict(recipe), "pairs": len(encoded), "from_step": steps})
    model.train()
    saved = started = time.monotonic()
    seen, total = 0, 0.0
    for batch in _from(encoded, recipe, steps):
        if spent >= recipe.tokens:
            break
        for group in optimiser.param_groups:
            group["lr"] = group["peak"] * _share(spent / recipe.tokens, recipe.warm_up)
        with torch.autocast("cpu", torch.bfloat16, enabled=recipe.bf16):
            logits = model(*_tensors(batch))
        value = loss(logits.float(), torch.from_numpy(batch.labels))
        value.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad()
        spent, steps = spent + batch.ids.size, steps + 1
        seen, total = seen + batch.ids.size, total + value.item()
        if steps % 50 == 0:
            speed = seen / (time.monotonic() - started)
            log({"step": steps, "spent": spent, "loss": total / 50, "tokens_per_s": round(speed)})
            total = 0.0
        if time.monotonic() - saved > 60 * recipe.minutes_a_checkpoint:
            _save(kept, model, optimiser, spent, steps, fed)
            log({"step": steps, "dev": _in_peace(model, evaluate)})
            saved = time.monotonic()
    _save(kept, model, optimiser, spent, steps, fed)
    log({"step": steps, "spent": spent, "dev": _in_peace(model, evaluate), "done": True})
    torch.save(model.state_dict(), work / "model.pt")
    model.eval()
    return model


def _in_peace(
    model: CrossEncoder, evaluate: Callable[[CrossEncoder], dict[str, float]]
) -> dict[str, float]:
    model.eval()
    found = evaluate(model)
    model.train()
    return found


def _groups(model: CrossEncoder, recipe: Recipe) -> list[dict[str, Any]]:
    base = [p for p in model.base.parameters() if p.requires_grad]
    head = [p for name, p in model.named_parameters() if not name.startswith("base.")]
    shared = {"weight_decay": recipe.decay}
    return [
        {"params": base, "peak": recipe.rate, "lr": 0.0, **shared},
        {"params": head, "peak": recipe.head_rate, "lr": 0.0, **shared},
    ]


def _share(done: float, warm_up: float) -> float:
    """Up in a line, then down in a line."""
    return done / warm_up if done < warm_up else max(0.0, (1 - done) / (1 - warm_up))


def _from(encoded: Sequence[Encoded], recipe: Recipe, steps: int) -> Iterator[Batch]:
    """Batches for ever, from where an earlier run stopped."""
    epoch = passed = 0
    while True:
        for batch in batches(encoded, recipe.batch_tokens, recipe.seed + epoch):
            passed += 1
            if passed > steps:
                yield batch
        epoch += 1


def _tensors(batch: Batch) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    return (
        torch.from_numpy(batch.ids),
        torch.from_numpy(batch.mask),
        torch.from_numpy(batch.segments),
    )


def _save(
    path: Path,
    model: CrossEncoder,
    optimiser: torch.optim.Optimizer,
    spent: int,
    steps: int,
    fed: str,
) -> None:
    """Whole or not at all: a run may be killed at any time."""
    state = {"model": model.state_dict(), "optimiser": optimiser.state_dict()}
    torch.save({**state, "spent": spent, "steps": steps, "fed": fed}, path.with_suffix(".new"))
    path.with_suffix(".new").replace(path)


def _fingerprint(encoded: Sequence[Encoded]) -> str:
    """What tells one feed from another: batches are found again by their number only."""
    digest = hashlib.sha256()
    for one in encoded:
        digest.update(f"{one.ids} {one.label}\n".encode())
    return digest.hexdigest()


def _log(work: Path) -> Log:
    def write(event: dict[str, Any]) -> None:
        with (work / "log.jsonl").open("a", encoding="utf-8") as out:
            out.write(json.dumps({"at": round(time.time(), 1), **event}) + "\n")

    return write
