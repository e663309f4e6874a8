"""Knowledge bases and databases that the code of version 0.1 made; its README says how."""

from __future__ import annotations

import tarfile
from pathlib import Path

FOLDER = Path(__file__).parent / "data" / "stored_0_1"
EARLY = "2ce7271"  # readers of version 1, revision 0007 of the database
LATE = "dc73457"  # the last commit before the names changed; revision 0009


def unpack(commit: str, folder: Path) -> None:
    with tarfile.open(FOLDER / f"{commit}.tar.xz") as archive:
        archive.extractall(folder, filter="data")
