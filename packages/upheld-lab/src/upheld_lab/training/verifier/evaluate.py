"""Quick figures while a model trains: AUC on fixed samples of dev sets and on the challenge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from upheld.text.sentences import sentences
from upheld_lab.bench.pack import lot
from upheld_lab.bench.verify.challenge import Half, read_twins
from upheld_lab.bench.verify.figures import auc
from upheld_lab.bench.verify.labels import Label
from upheld_lab.bench.verify.sets import Case, load
from upheld_lab.training.verifier.batches import Readable, encode, grouped, padded
from upheld_lab.training.verifier.grounded import shortened
from upheld_lab.training.verifier.model import CrossEncoder
from upheld_lab.training.verifier.pairs import Pair, premise
from upheld_lab.training.verifier.windows import gathered

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

WATCHED = ("wice_dev", "expertqa_dev", "begin_dev_wow", "begin_dev_tc", "fever_nli_dev", "snli_dev")
CHALLENGE = "challenge_dev"
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


def watch(
    data: Path, challenge: Path | None, tokenizer: Any, *, bf16: bool, sample: int = SAMPLE
) -> Callable[[CrossEncoder], dict[str, float]]:
    """A function from a model to its AUC on each watched set of the data pack."""
    sets: dict[str, Sequence[Pair]] = {}
    for name in WATCHED:
        cases = sorted(load(name, data), key=lambda case: lot("watch", case.claim))[:sample]
        sets[name] = [Pair(nearest(c), c.claim, c.label, name, c.document) for c in cases]
    if challenge is not None:
        sets[CHALLENGE] = challenge_pairs(challenge)
    return watch_pairs(sets, tokenizer, bf16=bf16)


def watch_pairs(
    sets: Mapping[str, Sequence[Pair]], tokenizer: Any, *, bf16: bool
) -> Callable[[CrossEncoder], dict[str, float]]:
    """A function from a model to its AUC on each of these sets.

    Of the challenge also the share of twins whose true claim has the higher score.
    """

    def figures(model: CrossEncoder) -> dict[str, float]:
        found = {}
        for name, pairs in sets.items():
            entails = scores(model, pairs, tokenizer, bf16=bf16)[:, 0].tolist()
            found[name] = round(auc(entails, [pair.label.supported for pair in pairs]), 3)
            if name == CHALLENGE:
                right = [true > false for true, false in zip(*[iter(entails)] * 2, strict=True)]
                found[f"{name}_twins"] = round(sum(right) / len(right), 3)
        return found

    return figures


def challenge_pairs(folder: Path) -> list[Pair]:
    """The dev half, each true claim before the false one; nearest sentences of each source."""
    found = []
    for number, twin in enumerate(read_twins(folder, Half.DEV)):
        for claim, label in ((twin.true, Label.ENTAILS), (twin.false, Label.NOT_ENTAILED)):
            texts = [premise(each.title, each.text) for each in twin.sources]
            found.append(
                Pair(
                    shortened(texts, claim), claim, label, CHALLENGE, twin.id, "", number, twin.kind
                )
            )
    return found
