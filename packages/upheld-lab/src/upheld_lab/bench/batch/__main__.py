"""`upheld` with workers that note the answers they begin: `python -m … NOTES verify --batch …`."""

import sys
from pathlib import Path
from unittest.mock import patch

from upheld import check_batch
from upheld.bulk import Bulk
from upheld.cli import main
from upheld.resources.bulk import open_bulk
from upheld_lab.bench.batch.noting import NotingBulk


def run(notes: Path) -> None:
    """Run the command that the other words name."""

    def open_noting(on: str) -> Bulk:
        return NotingBulk(open_bulk(on), notes)

    with patch.object(check_batch, "open_bulk", open_noting):
        main()


if __name__ == "__main__":  # not in the processes that it starts
    run(Path(sys.argv.pop(1)))
