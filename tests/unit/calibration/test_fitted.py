"""A guarantee on disk: for its own pipeline only, and never half read."""

from __future__ import annotations

from pathlib import Path

import pytest

from upheld.calibration.fitted import (
    FittedGuarantee,
    fitted_on,
    read_guarantee,
    write_guarantee,
)
from upheld.errors import CalibrationError
from upheld.types import content_hash


@pytest.fixture
def written(tmp_path: Path) -> Path:
    labels = tmp_path / "labels.jsonl"
    labels.write_text("some labels\n")
    path = tmp_path / "guarantee.json"
    fitted = FittedGuarantee(
        alpha=0.1, delta=0.05, threshold=0.7, pipeline="rag | s", fitted_on=fitted_on(labels, 120)
    )
    write_guarantee(path, fitted)
    return path


def test_it_is_read_for_its_own_pipeline_only(written: Path) -> None:
    found = read_guarantee(written).for_pipeline("rag | s")
    assert found is not None
    assert (found.alpha, found.delta, found.threshold) == (0.1, 0.05, 0.7)
    short = content_hash(b"some labels\n")[:12]
    assert found.fitted_on.startswith(f"120 labels of labels.jsonl ({short}), 20")
    assert read_guarantee(written).for_pipeline("rag | another") is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"alpha": 0.1', '"alpha": 0'),
        ('"delta": 0.05', '"delta": 1.5'),
        ('"threshold": 0.7', '"threshold": "0.7"'),
        ('"threshold": 0.7', '"threshold": NaN'),
        ('"labels": 120', '"labels": 0'),
        ("upheld guarantee 1", "upheld guarantee 2"),
        ('"pipeline"', '"pipe"'),
        ("{", "["),
        ("{", "{" + " " * 70_000),
    ],
)
def test_a_spoilt_file_is_refused(written: Path, old: str, new: str) -> None:
    text = written.read_text()
    assert old in text
    written.write_text(text.replace(old, new, 1))
    with pytest.raises(CalibrationError, match=r"guarantee\.json"):
        read_guarantee(written)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CalibrationError, match=r"none\.json"):
        read_guarantee(tmp_path / "none.json")
    with pytest.raises(CalibrationError, match="cannot be written"):
        write_guarantee(
            tmp_path,
            FittedGuarantee(
                alpha=0.1,
                delta=0.1,
                threshold=0.5,
                pipeline="p",
                fitted_on=fitted_on(Path(__file__), 1),
            ),
        )
