"""The suite `conflict`: sources that disagree, from RAMDocs and ConflictQA, in one corpus."""

from __future__ import annotations

from pathlib import Path

from upheld_lab.bench.suites import conflictqa, ramdocs, strategyqa
from upheld_lab.bench.suites.draw import Draw
from upheld_lab.bench.suites.files import hashes_of, pack_file
from upheld_lab.bench.suites.suite import Suite


def load_conflict(data: Path, draw: Draw) -> Suite:
    """Right documents are gold, false ones are noted; other questions' documents distract."""
    ambiguous, documents = ramdocs.read_ramdocs(data)
    contested, sides = conflictqa.read_conflictqa(data)
    names = (ramdocs.FILE, conflictqa.FILE, *strategyqa.FILES)
    return draw.suite(
        "conflict",
        [draw.order(ambiguous), draw.order(contested)],
        {**documents, **sides},
        hashes_of(pack_file(data, name) for name in names),
    )
