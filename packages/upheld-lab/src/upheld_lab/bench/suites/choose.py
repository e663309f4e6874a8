"""A suite by its name, or an error that says what there is."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from itertools import chain, zip_longest
from pathlib import Path

from upheld.errors import UsageError
from upheld_lab.bench.split import Split
from upheld_lab.bench.suites.abstain import load_abstain
from upheld_lab.bench.suites.backbone import load_backbone
from upheld_lab.bench.suites.bridges import load_bridges
from upheld_lab.bench.suites.conflict import load_conflict
from upheld_lab.bench.suites.draw import Draw
from upheld_lab.bench.suites.facets import load_facets
from upheld_lab.bench.suites.manuals import load_manuals
from upheld_lab.bench.suites.poison import load_poison
from upheld_lab.bench.suites.short import load_hops, load_short
from upheld_lab.bench.suites.suite import Suite
from upheld_lab.bench.suites.tiny import load_tiny

TINY = "tiny"
PACKED: Mapping[str, Callable[[Path, Draw], Suite]] = {
    "short": load_short,
    "hops": load_hops,
    "facets": load_facets,
    "abstain": load_abstain,
    "conflict": load_conflict,
    "poison": load_poison,
    "backbone": load_backbone,
    "bridges": load_bridges,
    "manuals": load_manuals,
}
SUITES = (TINY, *PACKED)
PASSAGES = 20_000  # as many as a search can be embedded for in minutes


def load_suite(
    name: str,
    data: Path | None,
    *,
    split: Split = Split.TEST,
    limit: int | None = None,
    passages: int | None = PASSAGES,
    seed: int = 0,
) -> Suite:
    """Read a suite: at most `limit` questions a set, over `passages`; None takes all.

    Several are joined by a plus: "short+hops" asks all questions of one corpus.
    """
    draw = Draw(split, limit, passages, seed)
    first, *more = [_load(each, data, draw) for each in name.split("+")]
    return _joined(name, first, *more) if more else first


def _joined(name: str, *suites: Suite) -> Suite:
    """By turns; what two of them have is there once."""
    turns = chain.from_iterable(zip_longest(*(suite.questions for suite in suites)))
    questions = {asked.id: asked for asked in turns if asked is not None}
    passages = {passage.id: passage for suite in suites for passage in suite.passages}
    hashes = {file: digest for suite in suites for file, digest in suite.hashes.items()}
    return Suite(name, tuple(questions.values()), tuple(passages.values()), hashes)


def _load(name: str, data: Path | None, draw: Draw) -> Suite:
    if name == TINY:
        return load_tiny(draw)
    if name not in PACKED:
        close = difflib.get_close_matches(name, SUITES, n=1)
        hint = f"Did you mean {close[0]}?" if close else f"There are: {', '.join(SUITES)}."
        raise UsageError(f"There is no suite '{name}'.", help=hint)
    if data is None:
        raise UsageError(
            f"The suite {name} is read from the data pack.",
            help=f"Give its folder with --data (docs/splits.md), or take --suite {TINY}.",
        )
    return PACKED[name](data, draw)
