"""The whole recipe in order: paraphrase, feed, train, export; what was done is not redone."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from upheld.errors import MissingExtraError, UsageError
from upheld_lab.training.verifier import facts
from upheld_lab.training.verifier.backtranslate import backtranslate
from upheld_lab.training.verifier.data import VERIFIER, Diet, feed
from upheld_lab.training.verifier.leaks import all_test_texts
from upheld_lab.training.verifier.pairs import Pair, read_pairs, write_pairs

if TYPE_CHECKING:
    from upheld_lab.training.verifier.train import Evaluate, Recipe

COUNTS = "counts.json"
CHECKED = 500  # pairs that an export is checked on
ENOUGH = 100  # of them: 60 smooth the weights, the others show what int8 loses


@dataclass(frozen=True, slots=True)
class Places:
    """The folders of a run."""

    base: Path  # a published sentence encoder
    data: Path  # the data pack
    work: Path  # checkpoints, pairs, paraphrases, log
    challenge: Path | None = None  # the folder of twins by kind of error, to watch its dev half


def paraphrase(diet: Diet, places: Places, translators: Path, minutes: float) -> int:
    """Reword the facts a diet takes, Wikipedia and science in turn; how many are reworded now."""
    tests = all_test_texts(places.data)
    wikipedia = facts.wikipedia(places.data, diet.name, diet.wikipedia, tests)
    science = facts.science(places.data, diet.science, tests)
    longest = max(len(wikipedia), len(science))
    turns = [
        fact.claim for i in range(longest) for fact in (*wikipedia[i : i + 1], *science[i : i + 1])
    ]
    places.work.mkdir(parents=True, exist_ok=True)
    return backtranslate(turns, translators, _paraphrases(places), 60 * minutes)


def make(
    diet: Diet,
    places: Places,
    tokens: int,
    layers: int | None,
    out: Path,
    processor_minutes: float = float("inf"),
    frozen_layers: int = 0,
) -> dict[str, object]:
    """Train until the tokens are spent, or go on with a run; then export."""
    try:
        from upheld_lab.training.verifier.batches import pair_tokenizer
        from upheld_lab.training.verifier.evaluate import watch
        from upheld_lab.training.verifier.train import Recipe
    except ImportError as missing:
        raise MissingExtraError("Training", "train") from missing

    pairs = kept_pairs(places, diet)
    recipe = Recipe(tokens=tokens, layers=layers, bf16=has_bf16(), frozen_layers=frozen_layers)
    tokenizer = pair_tokenizer(places.base)
    watched = watch(places.data, places.challenge, tokenizer, bf16=recipe.bf16)
    run = places.work / places.base.name  # two bases may be trained on the same pairs
    made = _trained(places.base, pairs, recipe, run, watched, out, processor_minutes)
    return {**json.loads((places.work / COUNTS).read_text()), **made}


def make_own(
    base: Path,
    pairs: Sequence[Pair],
    dev: Sequence[Pair],
    tokens: int,
    work: Path,
    out: Path,
    rate: float | None = None,
) -> dict[str, object]:
    """Train on pairs of your own until the tokens are spent, or go on with a run; then export."""
    try:
        from upheld_lab.training.verifier.batches import pair_tokenizer
        from upheld_lab.training.verifier.evaluate import watch_pairs
        from upheld_lab.training.verifier.train import Recipe
    except ImportError as missing:
        raise MissingExtraError("Training", "train") from missing

    need_enough(pairs)
    recipe = Recipe(tokens=tokens, bf16=has_bf16())
    recipe = recipe if rate is None else replace(recipe, rate=rate, head_rate=rate)
    watched = watch_pairs({"dev": dev}, pair_tokenizer(base), bf16=recipe.bf16)
    counts = Counter(f"{each.source}/{each.label.name.lower()}" for each in pairs)
    return {"kept": dict(counts), **_trained(base, pairs, recipe, work, watched, out)}


def need_enough(rows: Sequence[object]) -> None:
    """Raise `UsageError` for fewer rows than an export can be checked on."""
    if len(rows) < ENOUGH:
        raise UsageError(
            f"There are {len(rows)} rows, too few to check the exported model on.",
            help=f"Write more questions: it takes {ENOUGH} rows, about {ENOUGH // 2} questions.",
        )


def _trained(
    base: Path,
    pairs: Sequence[Pair],
    recipe: Recipe,
    work: Path,
    watched: Evaluate,
    out: Path,
    processor_minutes: float = float("inf"),
) -> dict[str, object]:
    from upheld_lab.training.verifier.batches import encode, pair_tokenizer
    from upheld_lab.training.verifier.export import export_cross_encoder
    from upheld_lab.training.verifier.train import train

    encoded = encode(pairs, pair_tokenizer(base))
    model = train(base, encoded, recipe, work, watched, processor_minutes)
    export = export_cross_encoder(model, base, out, pairs[:CHECKED])
    return {"dev": watched(model), "export": asdict(export)}


def kept_pairs(places: Places, diet: Diet = VERIFIER) -> list[Pair]:
    """The pairs of a run, made once and kept in its folder with their counts."""
    path = places.work / "pairs.jsonl"
    if not path.exists():
        places.work.mkdir(parents=True, exist_ok=True)
        fed = feed(diet, places.data, _paraphrases(places))
        counted = {"kept": fed.kept, "dropped": fed.dropped, "sharing": fed.sharing}
        (places.work / COUNTS).write_text(json.dumps(counted, indent=1))
        write_pairs(fed.pairs, path)
    return read_pairs(path)


def _paraphrases(places: Places) -> Path:
    return places.work / "paraphrases.jsonl"


def has_bf16() -> bool:
    """Whether the processor multiplies bf16 itself; where it does not, bf16 is slower."""
    import torch

    return bool(torch.cpu._is_amx_tile_supported())
