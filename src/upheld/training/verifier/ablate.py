"""What each part of the recipe is worth: the same recipe without it, on 20,000 pairs each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from upheld.errors import UsageError
from upheld.training.verifier.batches import encode, pair_tokenizer
from upheld.training.verifier.data import VERIFIER, Diet, feed
from upheld.training.verifier.evaluate import watch
from upheld.training.verifier.make import Places, has_bf16
from upheld.training.verifier.train import Recipe, train

PAIRS = 20_000


@dataclass(frozen=True, slots=True)
class Variant:
    """One thing changed."""

    diet: Diet = VERIFIER
    reworded: bool = True
    tokens: int = 256  # of a pair
    base: Path | None = None  # another than the rest have
    layers: int | None = None


def variants(other_base: Path, layers: int) -> Mapping[str, Variant]:
    """The recipe, and what it would be without one of its parts."""
    plain = replace(VERIFIER, wikipedia=0, science=0, questions=0)
    return {
        "all": Variant(),
        "no synthetic pairs": Variant(diet=plain),
        "no back-translation": Variant(reworded=False),
        "128 tokens": Variant(tokens=128),
        "the larger base": Variant(base=other_base, layers=layers),
    }


def ablate(places: Places, other_base: Path, layers: int) -> dict[str, dict[str, float]]:
    """Train every variant once over its pairs; AUC on the watched calibration sets."""
    if not (places.work / "paraphrases.jsonl").exists():
        raise UsageError(f"There are no paraphrases in {places.work}: train a verifier there first")
    found: dict[str, dict[str, float]] = {}
    for name, variant in variants(other_base, layers).items():
        work = places.work / name.replace(" ", "_")
        done = work / "result.json"
        if not done.exists():
            work.mkdir(parents=True, exist_ok=True)
            done.write_text(json.dumps(_run(variant, places, work)))
        found[name] = json.loads(done.read_text())
    return found


def _run(variant: Variant, places: Places, work: Path) -> dict[str, float]:
    reworded = places.work / ("paraphrases.jsonl" if variant.reworded else "none.jsonl")
    pairs = feed(variant.diet, places.data, reworded).pairs[:PAIRS]
    base = variant.base or places.base
    tokenizer = pair_tokenizer(base, variant.tokens)
    encoded = encode(pairs, tokenizer)
    recipe = Recipe(
        tokens=sum(len(one.ids) for one in encoded), layers=variant.layers, bf16=has_bf16()
    )
    measured = watch(places.data, tokenizer, bf16=recipe.bf16)
    figures = measured(train(base, encoded, recipe, work, lambda _: {}))
    return {**figures, "mean": sum(figures.values()) / len(figures)}
