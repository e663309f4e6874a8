"""Quick figures while a model trains: AUC on small fixed samples of what calibrates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from upheld.bench.pack import lot
from upheld.bench.verify.figures import auc
from upheld.bench.verify.sets import Case, load
from upheld.sentences import sentences
from upheld.training.verifier.batches import Readable, encode, grouped, padded
from upheld.training.verifier.model import CrossEncoder
from upheld.training.verifier.pairs import Pair, premise
from upheld.training.verifier.windows import gathered

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

WATCHED = ("wice_dev", "expertqa_dev", "begin_dev_wow", "begin_dev_tc", "fever_nli_dev", "snli_dev")
SAMPLE = 120  # cases a set


def scores(
    model: CrossEncoder, pairs: Sequence[Readable], tokenizer: Any, *, bf16: bool = False
) -> npt.NDArray[np.float32]:
    """Probabilities of the outputs, in the order of the pairs."""
    import numpy as np

    encoded = encode(pairs, tokenizer)
    order = sorted(range(len(encoded)), key=lambda i: len(encoded[i].ids))
    found = np.zeros((len(encoded), model.out.out_features), np.float32)
    for group in grouped([(len(encoded[i].ids), 1) for i in order], 2_048):
        batch = padded([encoded[order[i]] for i in group])
        with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16, enabled=bf16):
            logits = model(
                torch.from_numpy(batch.ids),
                torch.from_numpy(batch.mask),
                torch.from_numpy(batch.segments),
            )
        found[[order[i] for i in group]] = logits.float().softmax(-1).numpy()
    return found


def nearest(case: Case) -> str:
    """One premise from all passages of a case: what shares most with the claim."""
    title = case.passages[0][0]
    parts = [part for _, text in case.passages for part in sentences(text)]
    if sum(len(part.split()) for part in parts) > 130:
        parts = [parts[i] for i in gathered(parts, case.claim, 130)]
    return premise(title, " ".join(parts))


def watch(data: Path, tokenizer: Any, *, bf16: bool) -> Callable[[CrossEncoder], dict[str, float]]:
    """A function from a model to its AUC on each watched set."""
    sets: dict[str, list[Pair]] = {}
    for name in WATCHED:
        cases = sorted(load(name, data), key=lambda case: lot("watch", case.claim))[:SAMPLE]
        sets[name] = [Pair(nearest(c), c.claim, c.label, name, c.document) for c in cases]

    def figures(model: CrossEncoder) -> dict[str, float]:
        found = {}
        for name, pairs in sets.items():
            entails = scores(model, pairs, tokenizer, bf16=bf16)[:, 0]
            truth = [pair.label.supported for pair in pairs]
            found[name] = round(auc(entails.tolist(), truth), 3)
        return found

    return figures
