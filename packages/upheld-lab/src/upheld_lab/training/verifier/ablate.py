"""What each part of the recipe is worth: the same recipe without it, on 20,000 pairs each."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from types import MappingProxyType

from upheld.errors import UsageError
from upheld_lab.training.verifier.batches import encode, pair_tokenizer
from upheld_lab.training.verifier.data import VERIFIER
from upheld_lab.training.verifier.evaluate import watch
from upheld_lab.training.verifier.frames import KINDS as FRAMED
from upheld_lab.training.verifier.grounded import RAGTRUTH
from upheld_lab.training.verifier.make import Places, has_bf16, kept_pairs
from upheld_lab.training.verifier.pairs import Pair, is_marked, whole_twins
from upheld_lab.training.verifier.train import Recipe, train

PAIRS = 20_000
SAMPLE = 400  # cases of each dev set: differences are small


@dataclass(frozen=True, slots=True)
class Variant:
    """One thing changed: rows left out, or no margin between twins."""

    left_out: Callable[[Pair], bool] = lambda _: False
    margin: bool = True


VARIANTS: Mapping[str, Variant] = MappingProxyType(
    {
        "all": Variant(),
        "no twins": Variant(lambda pair: pair.twin >= 0),
        "no RAGTruth": Variant(lambda pair: pair.source == RAGTRUTH),
        "no margin": Variant(margin=False),
        "no frames": Variant(lambda pair: pair.kind in FRAMED),
        "one premise": Variant(lambda pair: is_marked(pair.premise)),
    }
)


def ablate(places: Places, names: Iterable[str]) -> dict[str, dict[str, float]]:
    """Train variants once over their pairs; figures on the dev sets. What was done is kept.

    The pairs are not those of a run, which leaves RAGTruth out.
    """
    places = replace(places, work=places.work / "ablation")
    found: dict[str, dict[str, float]] = {}
    pairs: list[Pair] = []
    for name in names:
        if name not in VARIANTS:
            raise UsageError(f"There is no variant {name!r}", help=f"One of: {', '.join(VARIANTS)}")
        work = places.work / name.replace(" ", "_")
        done = work / "result.json"
        if not done.exists():
            pairs = pairs or kept_pairs(places, replace(VERIFIER, ragtruth=True))
            work.mkdir(parents=True, exist_ok=True)
            done.write_text(json.dumps(_run(VARIANTS[name], pairs, places, work)))
        found[name] = json.loads(done.read_text())
    return found


def chosen(variant: Variant, pairs: Iterable[Pair]) -> list[Pair]:
    """The first rows that the variant keeps; a twin stands where its true claim does."""
    kept = whole_twins([pair for pair in pairs if not variant.left_out(pair)])
    twins: dict[int, list[Pair]] = {}
    for pair in kept:
        twins.setdefault(pair.twin, []).append(pair)
    places = (pair for pair in kept if pair.twin < 0 or pair.label.supported)
    units = ([pair] if pair.twin < 0 else twins[pair.twin] for pair in places)
    return list(islice(chain.from_iterable(units), PAIRS))


def _run(variant: Variant, pairs: list[Pair], places: Places, work: Path) -> dict[str, float]:
    tokenizer = pair_tokenizer(places.base)
    encoded = encode(chosen(variant, pairs), tokenizer)
    recipe = Recipe(tokens=sum(len(one.ids) for one in encoded), bf16=has_bf16())
    if not variant.margin:
        recipe = replace(recipe, margin_weight=0.0)
    measured = watch(places.data, places.challenge, tokenizer, bf16=recipe.bf16, sample=SAMPLE)
    figures = measured(train(places.base, encoded, recipe, work, lambda _: {}))
    sets = [value for name, value in figures.items() if not name.endswith("_twins")]
    return {**figures, "mean": round(sum(sets) / len(sets), 3), "tokens": recipe.tokens}
