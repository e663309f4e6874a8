"""What a figure depends on, written down beside it."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import upheld

# Options whose values say nothing to a reader.
FOLDERS = ("--data", "--cache", "--scorer", "--out", "--kb", "--questions")
OURS = ("upheld", "upheld-models", "upheld-verifier")
PACKAGES = (*OURS, "lancedb", "onnxruntime", "tokenizers", "numpy", "bm25s")


def manifest(**settings: Any) -> dict[str, Any]:
    """Commit, machine and versions, with whatever else the bench depended on."""
    return {
        "commit": _commit(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": _command(sys.argv[1:]),
        "machine": _machine(),
        "python": platform.python_version(),
        "versions": {name: found for name in PACKAGES if (found := _version(name))},
        **settings,
    }


def _command(words: list[str]) -> str:
    """The command line, with folders of this machine left out."""
    hidden = [
        "DIR" if before in FOLDERS else word
        for before, word in zip(["", *words], words, strict=False)
    ]
    return " ".join([_program(), *hidden])


def _program() -> str:
    """`upheld`, or how the fits are started."""
    started = getattr(sys.modules["__main__"], "__spec__", None)
    fits = started is not None and started.name == "upheld_lab.fits.__main__"
    return "python -m upheld_lab.fits" if fits else "upheld"


def _commit() -> str:
    """The checkout's commit, marked if files differ from it; "unknown" outside a checkout."""
    # A file of either package that git does not know counts.
    here, core = Path(__file__).parent.parent, Path(upheld.__file__).parent
    try:
        commit = _git(here, "rev-parse", "HEAD")
        changed = _git(here, "status", "--porcelain", "--", ".", str(core))
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{commit}{'+changes' if changed else ''}"


def _git(folder: Path, *words: str) -> str:
    command = ["git", "-C", str(folder), *words]
    return subprocess.run(  # noqa: S603  # a fixed command
        command, check=True, capture_output=True, text=True, timeout=10
    ).stdout.strip()


def _machine() -> dict[str, Any]:
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": os.cpu_count(),
        "features": [name for name in ("avx2", "avx512f", "avx512_vnni", "amx_int8") if _has(name)],
    }


def _cpuinfo() -> str:
    path = Path("/proc/cpuinfo")
    return path.read_text() if path.exists() else ""


def _processor() -> str:
    for line in _cpuinfo().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()


def _has(feature: str) -> bool:
    return f" {feature} " in _cpuinfo().replace("\n", " ")


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
