"""What processes use, as Linux tells it: seconds of processor, and bytes of memory."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

PROC = Path("/proc")


def family(process: int) -> list[int]:
    """A process and all that it started, and they, as far as they live."""
    found = [process]
    for each in found:
        for listed in PROC.glob(f"{each}/task/*/children"):
            found += map(int, listed.read_text().split())
    return found


def cpu_seconds(process: int) -> float:
    """Of all its threads, since it began."""
    # The name stands in brackets, and may hold spaces and brackets itself.
    fields = (PROC / str(process) / "stat").read_text().rpartition(")")[2].split()
    user, system = fields[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def resident_bytes(processes: Iterable[int]) -> int:
    """Memory in use now; what two of them share counts twice."""
    page = os.sysconf("SC_PAGE_SIZE")
    return page * sum(
        int((PROC / str(each) / "statm").read_text().split()[1]) for each in processes
    )
