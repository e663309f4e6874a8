"""The recipe: one readable loop with a budget of tokens, twins in one batch, checkpoints, resume.

make train-verifier DATA=pack        starts a run, or resumes the one that was stopped
kill -TERM PID                       pauses it: it writes a checkpoint and ends
"""

from __future__ import annotations

import hashlib
import json
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch

from upheld.errors import UpheldError
from upheld_lab.training.verifier import checkpoint
from upheld_lab.training.verifier.batches import Batch, Encoded, batches
from upheld_lab.training.verifier.checkpoint import Progress
from upheld_lab.training.verifier.model import CrossEncoder, loss, margin_loss


@dataclass(frozen=True, slots=True)
class Recipe:
    """What decides the outcome; kept beside the weights."""

    tokens: int = 4_000_000  # padded, over the whole run
    layers: int | None = None  # of the base, from below; all
    outputs: int = 3  # Label.ENTAILS, CONTRADICTS, NEUTRAL
    batch_tokens: int = 2_048
    rate: float = 5e-5
    head_rate: float = 5e-4
    warm_up: float = 0.03  # share of the tokens in which the rate rises
    fall: float = 0.3  # share in which it falls at the end; two bases compare at any time before
    decay: float = 0.01
    margin: float = 2.0  # by which the score of a true twin should exceed the false one's
    margin_weight: float = 0.5
    seed: int = 0
    bf16: bool = False
    freeze_words: bool = True  # half of the parameters, and rare words would be learnt by one row
    frozen_layers: int = 0  # the lowest, with all embeddings: for weights that are trained further
    minutes_a_checkpoint: float = 5.0


class PausedError(UpheldError):
    """A signal asked a run to stop; it goes on when it is started again."""


Evaluate = Callable[[CrossEncoder], dict[str, float]]


def train(
    base: Path,
    encoded: Sequence[Encoded],
    recipe: Recipe,
    work: Path,
    evaluate: Evaluate,
    processor_minutes: float = float("inf"),
) -> CrossEncoder:
    """Train until the tokens are spent, from where an earlier run stopped.

    Raises `PausedError`, after a checkpoint, if a signal paused it or if the run has had
    `processor_minutes` in all.
    """
    work.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(recipe.seed)
    model = CrossEncoder.from_folder(base, recipe.layers, recipe.outputs)
    model.base.get_input_embeddings().weight.requires_grad_(not recipe.freeze_words)
    if recipe.frozen_layers:
        model.base.embeddings.requires_grad_(False)
        for layer in model.base.encoder.layer[: recipe.frozen_layers]:
            layer.requires_grad_(False)
    optimiser = torch.optim.AdamW(_groups(model, recipe), fused=True)
    progress = checkpoint.restore(work, model, optimiser, _fingerprint(encoded))
    log = _Log(work, recipe.tokens)
    log.write({"recipe": asdict(recipe), "pairs": len(encoded), "from_step": progress.steps})
    model.train()
    saved = began = time.monotonic()
    before, began_cpu = progress, time.process_time()
    with _paused_by_signal() as is_paused:
        for batch in _from(encoded, recipe, progress.steps):
            if progress.tokens >= recipe.tokens or is_paused():
                break
            if progress.seconds >= 60 * processor_minutes:
                break
            value = _step(model, optimiser, batch, recipe, progress.tokens)
            progress = replace(
                progress,
                steps=progress.steps + 1,
                tokens=progress.tokens + batch.ids.size,
                seconds=before.seconds + time.process_time() - began_cpu,
            )
            log.step(
                progress, value, (progress.tokens - before.tokens) / (time.monotonic() - began)
            )
            if time.monotonic() - saved > 60 * recipe.minutes_a_checkpoint:
                checkpoint.save(work, model, optimiser, progress)
                log.measured(progress, _undisturbed(model, evaluate))
                saved = time.monotonic()
    checkpoint.save(work, model, optimiser, progress)
    if progress.tokens < recipe.tokens:
        if progress.seconds >= 60 * processor_minutes:
            log.measured(progress, _undisturbed(model, evaluate))
        log.write({"step": progress.steps, "paused": True})
        raise PausedError("The run is paused.", help="Start it again to go on.")
    log.measured(progress, _undisturbed(model, evaluate))
    log.write({"step": progress.steps, "done": True})
    model.eval()
    return model


def _step(model: CrossEncoder, optimiser: Any, batch: Batch, recipe: Recipe, spent: int) -> float:
    for group in optimiser.param_groups:
        group["lr"] = group["peak"] * _share(spent / recipe.tokens, recipe)
    with torch.autocast("cpu", torch.bfloat16, enabled=recipe.bf16):
        logits = model(*_tensors(batch))
    value = loss(logits.float(), torch.from_numpy(batch.labels))
    if recipe.margin_weight:
        twins = torch.from_numpy(batch.twins)
        value = value + recipe.margin_weight * margin_loss(logits.float(), twins, recipe.margin)
    value.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimiser.step()
    optimiser.zero_grad()
    return float(value.item())


def _undisturbed(model: CrossEncoder, evaluate: Evaluate) -> dict[str, float]:
    """The figures of a model at rest; random numbers go on as if nobody had looked."""
    state = torch.get_rng_state()
    model.eval()
    found = evaluate(model)
    model.train()
    torch.set_rng_state(state)
    return found


def _groups(model: CrossEncoder, recipe: Recipe) -> list[dict[str, Any]]:
    base = [p for p in model.base.parameters() if p.requires_grad]
    head = [p for name, p in model.named_parameters() if not name.startswith("base.")]
    shared = {"weight_decay": recipe.decay}
    return [
        {"params": base, "peak": recipe.rate, "lr": 0.0, **shared},
        {"params": head, "peak": recipe.head_rate, "lr": 0.0, **shared},
    ]


def _share(done: float, recipe: Recipe) -> float:
    """Of the peak rate: up in a line, level, down in a line."""
    return max(0.0, min(done / recipe.warm_up, 1.0, (1 - done) / recipe.fall))


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


def _fingerprint(encoded: Sequence[Encoded]) -> str:
    """What tells one feed from another: batches are found again by their number only."""
    digest = hashlib.sha256()
    for one in encoded:
        digest.update(f"{one.ids} {one.label} {one.twin}\n".encode())
    return digest.hexdigest()


@contextmanager
def _paused_by_signal() -> Iterator[Callable[[], bool]]:
    """Whether SIGTERM, SIGINT or SIGUSR1 has come: the step under way is finished first."""
    came = False

    def pause(*_: object) -> None:
        nonlocal came
        came = True

    signals = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1)
    before = [signal.signal(each, pause) for each in signals]
    try:
        yield lambda: came
    finally:
        for each, handler in zip(signals, before, strict=True):
            signal.signal(each, handler)


class _Log:
    """Events as JSON lines, and one line of status that a person can look at."""

    EVERY = 50  # steps

    def __init__(self, work: Path, tokens: int) -> None:
        self._work, self._tokens = work, tokens
        self._losses: list[float] = []

    def write(self, event: dict[str, Any]) -> None:
        with (self._work / "log.jsonl").open("a", encoding="utf-8") as out:
            out.write(json.dumps({"at": round(time.time(), 1), **event}) + "\n")

    def measured(self, progress: Progress, figures: dict[str, float]) -> None:
        minutes = round(progress.seconds / 60, 1)
        at = {"step": progress.steps, "spent": progress.tokens, "processor_minutes": minutes}
        self.write({**at, "dev": figures})

    def step(self, progress: Progress, value: float, speed: float) -> None:
        self._losses.append(value)
        if progress.steps % self.EVERY:
            return
        mean = sum(self._losses) / len(self._losses)  # of fewer steps after a resume
        self._losses.clear()
        left = (self._tokens - progress.tokens) / speed / 3600
        line = (
            f"step {progress.steps:,} · {progress.tokens / self._tokens:.1%} of "
            f"{self._tokens:,} tokens · loss {mean:.3f} · {speed:,.0f} tokens/s · {left:.1f} h left"
        )
        (self._work / "status.txt").write_text(f"{line}\n")
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\033[K{line}")
            sys.stderr.flush()
        self.write(
            {
                "step": progress.steps,
                "spent": progress.tokens,
                "loss": round(mean, 4),
                "tokens_per_s": round(speed),
            }
        )
