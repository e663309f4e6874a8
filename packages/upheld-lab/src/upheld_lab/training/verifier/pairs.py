"""A premise with a claim, as the model reads them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from upheld_lab.bench.verify.labels import Label


@dataclass(frozen=True, slots=True)
class Pair:
    """One training row; `document` is what must not stand on both sides of a split."""

    premise: str
    claim: str
    label: Label
    source: str
    document: str
    whole: str = ""  # the premise before it was cut, for the rule against leaks
    twin: int = -1  # rows with the same number are a twin: one is entailed, the other is not
    kind: str = ""  # of the error, where one was made


def premise(title: str, text: str, heading: str = "") -> str:
    """Title, heading and text on lines of their own: what the verify stage sends."""
    return "\n".join(part for part in (title, heading, text) if part)


def marked(passages: Sequence[str]) -> str:
    """Several passages as one premise, each with its number; one passage as it is."""
    if len(passages) == 1:
        return passages[0]
    return "\n".join(f"[{number}] {text}" for number, text in enumerate(passages, start=1))


def is_marked(premise: str) -> bool:
    """Whether a premise is made of several passages."""
    return premise.startswith("[1] ")


def write_pairs(pairs: Sequence[Pair], path: Path) -> None:
    """Keep what a run is fed, so that it goes on with the same rows when code has changed."""
    new = path.with_suffix(".new")
    with new.open("w", encoding="utf-8") as out:
        for pair in pairs:
            out.write(json.dumps({**asdict(pair), "whole": ""}, ensure_ascii=False) + "\n")
    new.rename(path)


def read_pairs(path: Path) -> list[Pair]:
    """What `write_pairs` kept."""
    with path.open(encoding="utf-8") as lines:
        kept = [json.loads(line) for line in lines]
    return [Pair(**{**row, "label": Label(row["label"])}) for row in kept]


def whole_twins(pairs: Sequence[Pair]) -> list[Pair]:
    """Without rows whose twin is missing: a claim without its counterpart is no minimal pair."""
    rows = Counter(pair.twin for pair in pairs)
    return [pair for pair in pairs if pair.twin < 0 or rows[pair.twin] == 2]
