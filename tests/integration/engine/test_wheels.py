"""What users install: five wheels, each with what belongs to it and below the limits of PyPI."""

from __future__ import annotations

import runpy
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[3]
SCRIPT = runpy.run_path(str(ROOT / "scripts" / "check_wheels.py"))


@pytest.mark.parametrize("expected", SCRIPT["EXPECTED"], ids=lambda each: each.package)
def test_a_wheel_has_what_belongs_to_it(expected: Any, tmp_path: Path) -> None:
    assert SCRIPT["faults"](SCRIPT["build"](expected, tmp_path), expected) == []


def test_what_is_too_much_or_missing_is_told(tmp_path: Path) -> None:
    wheel = tmp_path / "upheld-9-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in ("upheld/__init__.py", "upheld_lab/__init__.py", "upheld-9.dist-info/RECORD"):
            archive.writestr(name, "")
    told = SCRIPT["faults"](wheel, SCRIPT["Expected"](".", "upheld", 10, ("cli.py",)))
    assert [fault.partition(": ")[2] for fault in told] == [
        "no py.typed",
        "no cli.py",
        "upheld_lab should not be in it",
        "no licence",
        f"{wheel.stat().st_size} bytes, more than 10",
    ]


def test_the_packages_ask_for_each_other_as_they_are() -> None:
    told = [
        tomllib.loads((ROOT / each.folder / "pyproject.toml").read_text(encoding="utf-8"))
        for each in SCRIPT["EXPECTED"]
    ]
    versions = {each["project"]["name"]: each["project"]["version"] for each in told}
    asked = [
        Requirement(line)
        for each in told
        for lines in (
            each["project"].get("dependencies", []),
            *each["project"].get("optional-dependencies", {}).values(),
        )
        for line in lines
    ]
    ours = [each for each in asked if each.name in versions]
    assert {each.name for each in ours} == set(versions)
    assert [str(each) for each in ours if versions[each.name] not in each.specifier] == []


def test_the_first_screen_is_found_in_the_readme() -> None:
    commands, code = SCRIPT["first_screen"]((ROOT / "README.md").read_text(encoding="utf-8"))
    assert [command.split()[1] for command in commands][:2] == ["index", "ask"]
    assert "from upheld import" in code
