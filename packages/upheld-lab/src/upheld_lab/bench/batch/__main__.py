"""`upheld` with workers that note the answers they begin: `python -m … NOTES verify --batch …`."""

import sys
from pathlib import Path

from upheld import check_batch
from upheld.bulk import Bulk
from upheld.cli import main
from upheld.resources.bulk import open_bulk
from upheld_lab.bench.batch.noting import NotingBulk

notes = Path(sys.argv.pop(1))


def open_noting(on: str) -> Bulk:
    """Open the place of work, and note what is done there."""
    return NotingBulk(open_bulk(on), notes)


if __name__ == "__main__":  # not in the processes that it starts
    check_batch.open_bulk = open_noting
    main()
