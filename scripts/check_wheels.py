"""Build every wheel of this checkout and check size and contents; with --install, try them.

python scripts/check_wheels.py             (10 s; a test does the same)
python scripts/check_wheels.py --install   (minutes; a new environment gets nothing but wheels, and
                                            runs the first commands and the Python of README.md)
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYPI_LIMIT = 100_000_000


@dataclass(frozen=True, slots=True)
class Expected:
    """What one wheel may weigh, the one package that it has, and files that must be in it."""

    folder: str
    package: str
    most_bytes: int
    files: tuple[str, ...]


def _weights(*folders: str) -> tuple[str, ...]:
    return tuple(f"{each}{file}" for each in folders for file in ("model.onnx", "tokenizer.json"))


EXPECTED = (
    Expected(".", "upheld", 600_000, ("cli/__init__.py", "prompts/write.md")),
    Expected(
        "packages/upheld-service",
        "upheld_service",
        800_000,
        ("app.py", "db/migrations/versions/m0001_tables.py", "page/index.html", "page/licenses.md"),
    ),
    Expected("packages/upheld-lab", "upheld_lab", 750_000, ("bench/page/templates/page.html",)),
    Expected(
        "packages/upheld-models",
        "upheld_models",
        PYPI_LIMIT,
        (*_weights("embedder/", "grader/"), "grader/fit.json", "MODEL_CARD.md"),
    ),
    Expected(
        "packages/upheld-verifier",
        "upheld_verifier",
        PYPI_LIMIT,
        (*_weights(""), "fit.json", "MODEL_CARD.md"),
    ),
)


def build(expected: Expected, out: Path) -> Path:
    """The wheel, built by hatchling of this environment: nothing is fetched."""
    into = out / expected.package
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(into)],
        cwd=ROOT / expected.folder,
        check=True,
        capture_output=True,
    )
    [wheel] = into.glob("*.whl")
    return wheel


def faults(wheel: Path, expected: Expected) -> list[str]:
    """What is wrong with a wheel, in words."""
    size = wheel.stat().st_size
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    found = [
        f"no {file}" for file in _needed(expected) if f"{expected.package}/{file}" not in names
    ]
    tops = {name.partition("/")[0] for name in names}
    strange = {top for top in tops if not top.endswith(".dist-info")} - {expected.package}
    found += [f"{top} should not be in it" for top in sorted(strange)]
    if not any(name.endswith("licenses/LICENSE") for name in names):
        found.append("no licence")
    if size > expected.most_bytes:
        found.append(f"{size:,} bytes, more than {expected.most_bytes:,}")
    return [f"{wheel.name}: {fault}" for fault in found]


def _needed(expected: Expected) -> tuple[str, ...]:
    return ("__init__.py", "py.typed", *expected.files)


def first_screen(readme: str) -> tuple[list[str], str]:
    """The first commands of `upheld` in the README, and its first lines of Python."""
    [console, *_] = re.findall(r"```console\n(.*?)```", readme, re.DOTALL)
    [code, *_] = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    return re.findall(r"^\$ (upheld .*)$", console, re.MULTILINE), code


def try_installed(wheels: list[Path], folder: Path) -> None:
    """A new environment gets the wheels, with what they need, and does what the README shows."""
    [core, *others] = wheels
    venv.create(folder / "env", with_pip=True)
    programs = folder / "env" / "bin"
    # Nothing of this checkout may be found: no PYTHONPATH, and another working directory.
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    alone["PATH"] = f"{programs}{os.pathsep}{alone['PATH']}"
    words = [str(programs / "pip"), "install", "--quiet", f"{core}[local,readers]"]
    weights = [
        each for each in others if each.name.startswith(("upheld_models", "upheld_verifier"))
    ]
    subprocess.run([*words, *map(str, weights)], check=True, env=alone, cwd=folder)
    (folder / "examples").symlink_to(ROOT / "examples")
    commands, code = first_screen((ROOT / "README.md").read_text(encoding="utf-8"))
    for command in commands:
        print(f"$ {command}", flush=True)
        subprocess.run(["sh", "-c", command], check=True, env=alone, cwd=folder)
    print(">>> the Python of the README", flush=True)
    subprocess.run([str(programs / "python"), "-c", code], check=True, env=alone, cwd=folder)


def main() -> None:
    """Build, print the sizes, and end with 1 if something is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        wheels = [build(each, Path(folder)) for each in EXPECTED]
        for wheel in wheels:
            print(f"{wheel.stat().st_size:>12,}  {wheel.name}")
        wrong = [
            fault
            for wheel, each in zip(wheels, EXPECTED, strict=True)
            for fault in faults(wheel, each)
        ]
        if wrong:
            sys.exit("\n".join(wrong))
        if "--install" in sys.argv[1:]:
            try_installed(wheels, Path(folder))


if __name__ == "__main__":
    main()
