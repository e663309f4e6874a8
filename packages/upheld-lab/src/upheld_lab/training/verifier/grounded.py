"""Rows that people marked in answers of language models, and other grounded data, as pairs.

Several passages become one premise with a mark before each: what a claim on two sources needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from upheld.text.sentences import sentences
from upheld_lab.bench.pack import lot, rows
from upheld_lab.bench.verify.labels import Label
from upheld_lab.training.verifier.pairs import Pair, marked
from upheld_lab.training.verifier.windows import gathered

LABELS = {
    "entails": Label.ENTAILS,
    "contradicts": Label.CONTRADICTS,
    "neutral": Label.NEUTRAL,
    "not_entailed": Label.NOT_ENTAILED,
}
RAGTRUTH = "ragtruth_qa"  # passages of MS MARCO, given for research only
_KEPT_ENTAILS = 0.30  # of RAGTruth's sentences: 86 % are entailed
_LEFT_OUT = frozenset({"halueval_qa"})  # length gives its labels away
_WORDS = 150  # of a premise; the rest is left out by distance from the claim


def grounded(data: Path, *, ragtruth: bool) -> Iterator[Pair]:
    """The training rows; without RAGTruth where `ragtruth` is off."""
    for row in rows(data / "g_grounded" / "train.jsonl.gz"):
        source, label = row["source"], LABELS[row["label"]]
        if source in _LEFT_OUT or (source == RAGTRUTH and not ragtruth):
            continue
        if row["kind"] == "rag_response":
            continue  # whole answers: the stage checks sentences
        common = source == RAGTRUTH and label is Label.ENTAILS
        if common and lot("entails", row["claim"] + row["group"]) >= _KEPT_ENTAILS:
            continue
        premise = shortened(row["premise"], row["claim"])
        yield Pair(premise, row["claim"], label, source, f"{source}:{row['group']}")


def shortened(passages: Sequence[str], claim: str) -> str:
    """All passages where they are short; else of each the sentences nearest to the claim."""
    passages = list(dict.fromkeys(passages))
    room = max(25, _WORDS // len(passages))
    return marked([_nearest(passage, claim, room) for passage in passages])


def _nearest(passage: str, claim: str, words: int) -> str:
    if len(passage.split()) <= words:
        return passage
    parts = sentences(passage)
    return " ".join(parts[at] for at in gathered(parts, claim, words))
