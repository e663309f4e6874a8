"""The challenge: true paraphrases and the same sentences with one thing wrong, by kind of error.

A twin is two claims about the same sources. A verifier that looks at the words alone calls both
supported; the figures that count are how many of the false and of the true claims it does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from upheld.calibration.learn_then_test import upper_bound
from upheld.errors import ModelError, NotFoundError
from upheld.resources.open import open_verify
from upheld.run.trace import start_run
from upheld.settings import load_settings
from upheld.types import Passage, Support, content_hash
from upheld.verification.verify import Verify
from upheld.verification.verify_answer import verify_answer
from upheld_lab.bench.manifest import manifest
from upheld_lab.bench.report import Report, Row, Watch

SOURCES = "sources.jsonl"


class Half(StrEnum):
    """`dev` is read and fitted on; `test` is measured once, when a verifier is released."""

    DEV = "dev"
    TEST = "test"


@dataclass(frozen=True, slots=True)
class Twin:
    """Two claims about the same sources, one of them with one thing wrong."""

    id: str
    kind: str
    sources: tuple[Passage, ...]
    true: str
    false: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A twin, and which of its claims were called supported."""

    twin: Twin
    true_supported: bool
    false_supported: bool


def read_twins(folder: Path, half: Half) -> list[Twin]:
    """The twins of one half, in the order of the file."""
    if not (folder / SOURCES).is_file():
        raise NotFoundError(
            f"There is no {SOURCES} in {folder}.",
            help="Name the folder of the challenge: tests/data/challenge in a checkout.",
        )
    sources = {row["id"]: _passage(row) for row in _rows(folder / SOURCES)}
    return [
        Twin(
            row["id"],
            row["kind"],
            tuple(sources[id] for id in row["sources"]),
            row["true"],
            row["false"],
        )
        for row in _rows(folder / f"{half}.jsonl")
    ]


async def bench_challenge(folder: Path, half: Half, watch: Watch) -> Report:
    """The installed verifier on one half, through the same stage that `upheld verify` uses."""
    twins = read_twins(folder, half)
    verify = open_verify(load_settings())
    if verify.model is None:
        raise ModelError(verify.no_model)
    try:
        judged = [
            await _judged(verify, twin, watch, at, len(twins)) for at, twin in enumerate(twins)
        ]
    finally:
        await verify.model.close()
    bars = {
        "challenge_false_supported": _share([each.false_supported for each in judged]),
        "challenge_true_supported": _share([each.true_supported for each in judged]),
    }
    facts = manifest(verifier=verify.model.identity, half=half.value, twins=len(twins))
    return Report("challenge", bars, tuple(_table(judged)), facts)


async def _judged(verify: Verify, twin: Twin, watch: Watch, at: int, total: int) -> Judged:
    found = Judged(
        twin,
        await _is_supported(verify, twin.true, twin.sources),
        await _is_supported(verify, twin.false, twin.sources),
    )
    watch("challenge", at + 1, total)
    return found


async def _is_supported(verify: Verify, claim: str, sources: Sequence[Passage]) -> bool:
    """Whether all sentences of the claim are; the sources are at hand, and none is cited."""
    with start_run(None):
        checked = await verify_answer(verify, claim, sources)
    return all(each.verdict.support is Support.SUPPORTED for each in checked)


def _table(judged: Sequence[Judged]) -> Iterator[Row]:
    """A row a kind, and one for all with 95 % intervals."""
    for kind in sorted({each.twin.kind for each in judged}):
        yield _row(kind, [each for each in judged if each.twin.kind == kind])
    yield _row("all", judged)


def _row(kind: str, judged: Sequence[Judged]) -> Row:
    false = [each.false_supported for each in judged]
    true = [each.true_supported for each in judged]
    return {
        "kind": kind,
        "twins": len(judged),
        "false called supported": _share(false),
        "95 % of false": _interval(false),
        "true called supported": _share(true),
        "95 % of true": _interval(true),
        "both right": _share([t and not f for t, f in zip(true, false, strict=True)]),
    }


def _share(found: Sequence[bool]) -> float:
    return sum(found) / len(found)


def _interval(found: Sequence[bool]) -> str:
    """Clopper and Pearson, two-sided."""
    yes, total = sum(found), len(found)
    low, high = 1 - upper_bound(total - yes, total, 0.025), upper_bound(yes, total, 0.025)
    return f"{low:.2f} to {high:.2f}"


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _passage(row: dict[str, str]) -> Passage:
    text = row["text"]
    return Passage(row["id"], text, row["id"], content_hash(text), 0, len(text), title=row["title"])
