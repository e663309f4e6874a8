"""The knowledge base that a suite's questions are asked of: its passages, indexed once and kept."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from upheld.edge.lance.index import LanceIndex
from upheld.ports import Embedder
from upheld.resources.open import open_embedder
from upheld.settings import Settings
from upheld.types import Passage, content_hash
from upheld_lab.bench.prepared import SCOPE, fill
from upheld_lab.bench.report import Watch
from upheld_lab.bench.suites.suite import Suite
from upheld_lab.bench.vectors import VectorCache


async def settings_for(suite: Suite, settings: Settings, cache: Path, watch: Watch) -> Settings:
    """Settings that open the suite's knowledge base; a suite without passages is asked of yours."""
    if not suite.passages:
        return settings
    embedder = open_embedder(settings)
    try:
        folder = await knowledge_base(suite.passages, embedder, cache, watch)
    finally:
        if embedder is not None:
            await embedder.close()
    return settings.model_copy(
        update={"kb": str(folder), "collection": SCOPE.collection, "storage": {}}
    )


async def knowledge_base(
    passages: Sequence[Passage], embedder: Embedder | None, cache: Path, watch: Watch
) -> Path:
    """The folder of these passages, for this embedder; without one they are found by words."""
    words = "\0".join(f"{each.id}\0{each.searchable}" for each in passages)
    name = content_hash(f"{embedder.identity if embedder else ''}\0{words}")
    folder = cache / "kb" / name
    if folder.exists():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f"{name}.", dir=folder.parent))
    try:
        await _build(draft, passages, embedder, cache, watch)
        _rename(draft, folder)  # whole or not at all
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return folder


def _rename(draft: Path, folder: Path) -> None:
    try:
        draft.rename(folder)
    except OSError:
        if not folder.exists():  # else another run was quicker
            raise


async def _build(
    folder: Path, passages: Sequence[Passage], embedder: Embedder | None, cache: Path, watch: Watch
) -> None:
    vectors = None
    if embedder is not None:
        vectors = await VectorCache(embedder, cache).vectors(
            [each.searchable for each in passages],
            lambda done, total: watch("embedding passages", done, total),
        )
    index = await LanceIndex.open(
        str(folder),
        embedder_identity=embedder.identity if embedder else None,
        dimension=embedder.dimension if embedder else None,
    )
    try:
        await fill(index, passages, vectors, watch)
    finally:
        await index.close()
