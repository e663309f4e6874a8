"""`upheld bench` and `upheld train` are there with the lab, and say how to get it without."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from typer.testing import CliRunner

from upheld.cli import app, lab
from upheld.errors import MissingExtraError


@pytest.mark.parametrize("name", ["bench", "train"])
def test_the_lab_brings_its_commands(name: str) -> None:
    told = CliRunner().invoke(app, [name, "--help"])
    assert told.exit_code == 0
    assert "Not installed" not in told.output


@pytest.mark.parametrize("words", [("run", "--suite", "tiny"), ("--help",), ()])
def test_without_the_lab_a_command_of_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setattr(lab, "entry_points", none_are_found)
    told = CliRunner().invoke(app, ["bench", *words])
    assert isinstance(told.exception, MissingExtraError)
    assert "pip install 'upheld[bench]'" in told.exception.help


def test_without_the_lab_the_help_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab, "entry_points", none_are_found)
    monkeypatch.setenv("COLUMNS", "200")
    told = " ".join(CliRunner().invoke(app, ["--help"]).output.split())
    assert "bench Not installed: pip install 'upheld[bench]'" in told
    assert "train Not installed: pip install 'upheld[train]'" in told


def test_a_part_of_the_lab_that_is_missing_is_an_error_of_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "upheld_lab.bench.report", None)
    with pytest.raises(MissingExtraError, match="data pack"):
        lab.part("bench.report")


def none_are_found(**_: Any) -> tuple[()]:
    return ()
