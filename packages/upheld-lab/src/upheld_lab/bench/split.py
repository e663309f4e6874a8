"""The one split rule: the gold article decides, so questions that share an article stay together.

Training uses train; fitting and reading failures use dev; published figures use test. Synthetic
training pairs may be made from train-side articles only: docs/splits.md.
"""

from __future__ import annotations

import hashlib
import unicodedata
from enum import StrEnum

TEST_ONLY = frozenset({"hotpotqa", "musique"})  # a hundred questions each: too few to share
TRAIN_BELOW, DEV_BELOW = 0.6, 0.8


class Split(StrEnum):
    """What a question may be used for."""

    TRAIN = "train"
    DEV = "dev"
    TEST = "test"


SIDES = (Split.TRAIN, Split.DEV)  # what may be learnt from, and chosen by


def article(title: str) -> str:
    """The title of an article however it was written: case, underscores and spaces do not count."""
    folded = unicodedata.normalize("NFKC", title.replace("_", " ")).casefold()
    return " ".join(folded.split())


def split_of_article(title: str) -> Split:
    """Where the questions about an article belong; stable for ever, so never salt this hash."""
    digest = hashlib.sha256(article(title).encode()).digest()
    place = int.from_bytes(digest[:8], "big") / 2**64
    if place < TRAIN_BELOW:
        return Split.TRAIN
    return Split.DEV if place < DEV_BELOW else Split.TEST


def split_of_question(dataset: str, gold_titles: frozenset[str]) -> Split:
    """Where a question belongs: by the first of its gold articles in alphabetical order."""
    if dataset in TEST_ONLY:
        return Split.TEST
    return split_of_article(min(map(article, gold_titles)))
