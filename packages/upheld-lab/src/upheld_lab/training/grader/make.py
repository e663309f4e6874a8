"""The whole recipe in order: mine, train, calibrate, export; a run that stopped is continued."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from upheld.edge.onnx.embedder import LocalEmbedder
from upheld.errors import MissingExtraError
from upheld_lab.bench.report import Watch
from upheld_lab.bench.split import Split
from upheld_lab.bench.vectors import VectorCache
from upheld_lab.training.grader.data import Fed, feed
from upheld_lab.training.grader.examples import Example
from upheld_lab.training.verifier.make import CHECKED, has_bf16, need_enough

OUTPUTS = 2  # examples.HELPS, DOES_NOT
MINUTES_A_CHECKPOINT = 8.0


def make(
    base: Path,
    work: Path,
    tokens: int,
    out: Path,
    feeds: Callable[[], tuple[Fed, Fed]],
    rate: float | None = None,
) -> dict[str, object]:
    """Train until the tokens are spent, then write the model under `out`.

    `feeds` gives the rows that train and those that choose: `mined`, or `own.grader_feeds`.
    """
    try:
        from upheld_lab.training.grader import evaluate
        from upheld_lab.training.verifier.batches import encode, pair_tokenizer
        from upheld_lab.training.verifier.export import export_cross_encoder
        from upheld_lab.training.verifier.train import Recipe, train
    except ImportError as missing:
        raise MissingExtraError("Training", "train") from missing

    fed, dev = feeds()
    need_enough(dev.examples)
    work.mkdir(parents=True, exist_ok=True)
    counted = {"questions": fed.questions, "examples": fed.counts, "dev": dev.counts}
    (work / "counts.json").write_text(json.dumps(counted, indent=1))
    tokenizer = pair_tokenizer(base)
    recipe = Recipe(
        tokens=tokens,
        outputs=OUTPUTS,
        bf16=has_bf16(),
        minutes_a_checkpoint=MINUTES_A_CHECKPOINT,
        rate=Recipe().rate if rate is None else rate,
    )
    watched = evaluate.watch(dev.examples, tokenizer, bf16=recipe.bf16)
    model = train(base, encode(fed.examples, tokenizer), recipe, work, watched)
    model, scale, shift = evaluate.calibrated(model, dev.examples, tokenizer)
    export = export_cross_encoder(model, base, out, _checked(dev))
    scaled = {"scale": round(scale, 3), "shift": round(shift, 3)}
    return {**counted, "auc": watched(model), "platt": scaled, "export": asdict(export)}


async def mined(data: Path, cache: Path, watch: Watch, manuals: Path | None) -> tuple[Fed, Fed]:
    """The rows of the data pack, and of questions on manuals that are installed there."""
    embedder = LocalEmbedder()
    try:
        vectors = VectorCache(embedder, cache)
        fed = await feed(data, vectors, watch, manuals=manuals)
        return fed, await feed(data, vectors, watch, split=Split.DEV, manuals=manuals)
    finally:
        await embedder.close()


def _checked(dev: Fed) -> list[Example]:
    return dev.examples[-CHECKED:]  # not those that fitted the scale
