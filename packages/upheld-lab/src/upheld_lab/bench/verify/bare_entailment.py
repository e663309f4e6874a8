"""Entailment by onnxruntime alone: the loops that our own layers are measured against."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from upheld.edge.onnx.embedder import BATCH_TOKENS, pad

if TYPE_CHECKING:
    import numpy.typing as npt

    from upheld.ports import Pair

Batches = list[list[int]]  # places of pairs
Loop = Callable[[Sequence["Pair"]], object]


class BareEntailment:
    """Tokenise, pad, run: one session on all cores, and nothing else."""

    def __init__(self, model: Path, tokenizer: Path, *, spin: bool) -> None:
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        options = onnxruntime.SessionOptions()
        options.add_session_config_entry("session.intra_op.allow_spinning", str(int(spin)))
        self._session = onnxruntime.InferenceSession(
            str(model), options, providers=["CPUExecutionProvider"]
        )
        self._inputs = {each.name for each in self._session.get_inputs()}

    def __call__(
        self, pairs: Sequence[Pair], cut: Callable[[list[int]], Batches]
    ) -> npt.NDArray[np.float32]:
        """Logits in the order of the pairs; `cut` makes batches from their lengths."""
        texts = [(pair.premise, pair.claim) for pair in pairs]
        tokens = self._tokenizer.encode_batch(texts)
        logits = np.empty((len(pairs), 3), np.float32)
        for places in cut([len(each) for each in tokens]):
            batch = [tokens[place] for place in places]
            ids, mask = pad([each.ids for each in batch])
            types = np.zeros_like(ids)
            for row, each in enumerate(batch):
                types[row, each.sequence_ids.index(1) : len(each)] = 1
            fed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
            fed = {name: value for name, value in fed.items() if name in self._inputs}
            [logits[places]] = self._session.run(None, fed)
        return logits


def bare_loops(model: Path, tokenizer: Path) -> dict[str, Loop]:
    """Every loop that somebody might write; threads that spin gain where nothing else runs."""
    sessions = {
        "spinning": BareEntailment(model, tokenizer, spin=True),
        "waiting": BareEntailment(model, tokenizer, spin=False),
    }
    cuts = {
        "one by one": one_by_one,
        "eight of like length": eights,
        f"{BATCH_TOKENS} padded tokens": budgeted,
    }
    return {
        f"{how}, {threads}": partial(session, cut=cut)
        for how, cut in cuts.items()
        for threads, session in sessions.items()
    }


def one_by_one(lengths: list[int]) -> Batches:
    """No batches, and so no padding."""
    return [[place] for place in range(len(lengths))]


def eights(lengths: list[int]) -> Batches:
    """Eight of like length."""
    order = _longest_first(lengths)
    return [order[first : first + 8] for first in range(0, len(order), 8)]


def budgeted(lengths: list[int]) -> Batches:
    """As many of like length as stay under a number of padded tokens."""
    order, found = _longest_first(lengths), []
    while order:
        count = max(1, BATCH_TOKENS // lengths[order[0]])
        found.append(order[:count])
        order = order[count:]
    return found


def _longest_first(lengths: list[int]) -> list[int]:
    return sorted(range(len(lengths)), key=lambda place: -lengths[place])
