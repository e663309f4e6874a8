"""CPU time of commands in fresh processes, two checkouts in turn.

    python scripts/measure_cold_start.py --before ../old-checkout --runs 11

Both checkouts run under this Python, with its installed packages. One round runs every command once
in each checkout, so that a slow moment of the machine meets both. CPU time is user and system time
of the process and its children, from `os.wait4`; the median of the rounds is printed. A first round
that fills caches and compiles bytecode is not counted.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent.parent
QUESTION = "When does the lighthouse open to visitors?"


def commands(kb: str) -> dict[str, Sequence[str]]:
    """What is measured, by the name it has in the table."""
    return {
        "upheld ask": ("ask", QUESTION, "--kb", kb),
        "upheld admin --help": ("admin", "--help"),
        "upheld ask --method nonsense": ("ask", QUESTION, "--kb", kb, "--method", "nonsense"),
        "upheld ask ''": ("ask", "", "--kb", kb),
        "upheld index missing-folder": ("index", "missing-folder", "--kb", kb),
        "upheld --version": ("--version",),
    }


def cpu_seconds(checkout: Path, arguments: Sequence[str]) -> float:
    """User and system time of one run."""
    packages = checkout.glob("packages/*/src")
    source = os.pathsep.join(map(str, (checkout / "src", *packages)))
    process = subprocess.Popen(
        [sys.executable, "-m", "upheld", *arguments],
        env={**os.environ, "PYTHONPATH": source},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Index the examples once, measure, and print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, required=True, help="another checkout")
    parser.add_argument("--after", type=Path, default=HERE, help="by default this one")
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--only", help="measure only commands whose name has this in it")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        kb = f"{folder}/kb"
        cpu_seconds(
            chosen.before.resolve(), ("index", str(HERE / "examples/documents"), "--kb", kb)
        )
        measured = {
            name: arguments
            for name, arguments in commands(kb).items()
            if not chosen.only or chosen.only in name
        }
        seen: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in measured}
        for round in range(chosen.runs + 1):
            for name, arguments in measured.items():
                for times, checkout in zip(
                    seen[name], (chosen.before.resolve(), chosen.after.resolve()), strict=True
                ):
                    seconds = cpu_seconds(checkout, arguments)
                    if round:
                        times.append(seconds)
    print(f"CPU seconds, medians of {chosen.runs} interleaved runs\n")
    print("| command | before | after | after / before |\n|---|---|---|---|")
    for name, (before, after) in seen.items():
        old, new = statistics.median(before), statistics.median(after)
        print(f"| `{name}` | {old:.2f} | {new:.2f} | {new / old:.2f} |")


if __name__ == "__main__":
    main()
