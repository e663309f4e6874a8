"""Commands of the service and of the lab are there with their packages, and say how to get them."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from typer.testing import CliRunner

from upheld.cli import app, plugins
from upheld.errors import MissingExtraError

EXTRAS = {
    "serve": "serve",
    "worker": "serve",
    "admin": "serve",
    "mcp": "mcp",
    "bench": "bench",
    "plan": "bench",
    "train": "train",
}


@pytest.mark.parametrize("name", EXTRAS)
def test_a_package_brings_its_commands(name: str) -> None:
    told = CliRunner().invoke(app, [name, "--help"])
    assert told.exit_code == 0
    assert "Not installed" not in told.output


@pytest.mark.parametrize("words", [("run", "--suite", "tiny"), ("--help",), ()])
@pytest.mark.parametrize("name", EXTRAS)
def test_without_its_package_a_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, name: str, words: tuple[str, ...]
) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", none_are_found)
    told = CliRunner().invoke(app, [name, *words])
    assert isinstance(told.exception, MissingExtraError)
    assert f"pip install 'upheld[{EXTRAS[name]}]'" in told.exception.help


def test_without_packages_the_help_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", none_are_found)
    monkeypatch.setenv("COLUMNS", "200")
    told = " ".join(CliRunner().invoke(app, ["--help"]).output.split())
    for name, extra in EXTRAS.items():
        assert f"{name} Not installed: pip install 'upheld[{extra}]'" in told


def test_a_part_of_the_lab_that_is_missing_is_an_error_of_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "upheld_lab.bench.report", None)
    with pytest.raises(MissingExtraError, match="data pack"):
        plugins.part("bench.report")


def none_are_found(**_: Any) -> tuple[()]:
    return ()
