"""How much memory this process may use."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

_LIMIT = Path("/sys/fs/cgroup/memory.max")  # of a container, on Linux
_UNKNOWN = 2_000_000_000  # where the system does not tell


@cache
def memory() -> int:
    """Return the bytes of memory of this machine, or of this container if it has fewer."""
    try:
        machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return _UNKNOWN
    try:
        return min(machine, int(_LIMIT.read_text()))
    except (OSError, ValueError):  # no container, or one without a limit: "max"
        return machine
