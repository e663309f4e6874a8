"""A suite by its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from upheld.errors import NotFoundError, UsageError
from upheld_lab.bench.suites.choose import SUITES, load_suite


def test_there_are_ten() -> None:
    assert set(SUITES) == {
        "tiny", "short", "hops", "facets", "abstain", "conflict", "poison", "backbone", "bridges",
        "manuals",
    }  # fmt: skip


def test_an_unknown_name_says_what_there_is() -> None:
    with pytest.raises(UsageError, match="Did you mean facets"):
        load_suite("facet", None)
    with pytest.raises(UsageError, match="There are: tiny, short, hops"):
        load_suite("qqq", None)


@pytest.mark.parametrize("name", sorted(set(SUITES) - {"tiny"}))
def test_a_suite_of_the_pack_needs_the_pack(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--data"):
        load_suite(name, None)
    with pytest.raises(NotFoundError, match="--data is the folder"):
        load_suite(name, tmp_path)
