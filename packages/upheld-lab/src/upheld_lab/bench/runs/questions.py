"""The questions of a run, and the passages they are asked of."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

from upheld_lab.bench.split import Split
from upheld_lab.bench.suites.choose import load_suite
from upheld_lab.bench.suites.suite import Asked, Suite


def suite_of(
    name: str,
    data: Path | None,
    *,
    split: Split,
    limit: int | None,
    passages: int | None,
    seed: int,
) -> Suite:
    """A suite with at most so many questions of each set.

    The passages are those of the whole suite for any limit: a run can be made longer later, and
    its knowledge base is indexed once.
    """
    whole = load_suite(name, data, split=split, passages=passages, seed=seed)
    return whole if limit is None else replace(whole, questions=first_of_each(whole, limit))


def first_of_each(suite: Suite, limit: int) -> tuple[Asked, ...]:
    """The first questions of each set, in the order of the suite."""
    seen: Counter[str] = Counter()
    kept = []
    for asked in suite.questions:
        seen[asked.set] += 1
        if seen[asked.set] <= limit:
            kept.append(asked)
    return tuple(kept)
