"""The whole recipe in order: paraphrase, feed, train, export; what was done is not redone."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from upheld.errors import MissingExtraError
from upheld.training.verifier import facts
from upheld.training.verifier.backtranslate import backtranslate
from upheld.training.verifier.data import Diet, feed
from upheld.training.verifier.leaks import all_test_texts

CHECKED = 500  # pairs that an export is checked on


@dataclass(frozen=True, slots=True)
class Places:
    """The folders of a run."""

    base: Path  # a published sentence encoder
    data: Path  # the data pack
    work: Path  # checkpoints, paraphrases, log


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
    diet: Diet, places: Places, tokens: int, layers: int | None, out: Path
) -> dict[str, object]:
    """Train until the tokens are spent, or go on with a run; then export."""
    # Threads that wait by spinning waste a machine that is shared; read before torch is loaded.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        from upheld.training.verifier.batches import encode, pair_tokenizer
        from upheld.training.verifier.evaluate import watch
        from upheld.training.verifier.export import export_cross_encoder
        from upheld.training.verifier.train import Recipe, train
    except ImportError as missing:
        raise MissingExtraError("Training", "train") from missing

    fed = feed(diet, places.data, _paraphrases(places))
    places.work.mkdir(parents=True, exist_ok=True)
    counted = {"kept": fed.kept, "dropped": fed.dropped, "sharing": fed.sharing}
    (places.work / "counts.json").write_text(json.dumps(counted, indent=1))
    tokenizer = pair_tokenizer(places.base)
    recipe = Recipe(tokens=tokens, layers=layers, bf16=has_bf16())
    watched = watch(places.data, tokenizer, bf16=recipe.bf16)
    model = train(places.base, encode(fed.pairs, tokenizer), recipe, places.work, watched)
    export = export_cross_encoder(model, places.base, out, fed.pairs[:CHECKED])
    return {**counted, "dev": watched(model), "export": asdict(export)}


def _paraphrases(places: Places) -> Path:
    return places.work / "paraphrases.jsonl"


def has_bf16() -> bool:
    """Whether the processor multiplies bf16 itself; where it does not, bf16 is slower."""
    import torch

    return bool(torch.cpu._is_amx_tile_supported())
