"""`upheld bench ingest`: real files to searchable passages, beside the embedder run bare."""

from __future__ import annotations

import itertools
import tempfile
import time
from pathlib import Path

from upheld.add_report import AddReport
from upheld.edge.onnx.embedder import LocalEmbedder
from upheld.errors import NotFoundError
from upheld.ingest.add_files import BATCH_PASSAGES, add
from upheld.resources.open import open_resources
from upheld.settings import Settings, load_settings
from upheld_lab.bench.costs.bare import BareIndexing, indexed_texts
from upheld_lab.bench.manifest import manifest
from upheld_lab.bench.report import Report, Row, Watch

COLLECTION = "ingest"
QUESTION_CHARACTERS = 60
QUESTIONS = 100


async def bench_ingest(folder: Path, most: int, watch: Watch) -> Report:
    """Index files with and without vectors, and then embed the same passages bare."""
    files = _files(folder, most)
    if not files:
        raise NotFoundError(f"There are no files in {folder}.")
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        without = load_settings(kb=str(root / "words"), local_models=False)
        words = await _add(files, without, "files, without vectors", watch)
        whole = await _add(files, load_settings(kb=str(root / "kb")), "files", watch)
        texts = await indexed_texts(root / "kb", COLLECTION)
        bare = BareIndexing()
        began = time.perf_counter()
        await bare(texts, root / "bare", BATCH_PASSAGES)
        alone = time.perf_counter() - began
    row: Row = {
        "files": len(files),
        "failed": len(whole.failed),
        "megabytes": sum(path.stat().st_size for path in files) / 1e6,
        "passages": len(texts),
        "without vectors, s": words.seconds,
        "whole, s": whole.seconds,
        "embedder alone, s": alone,
        "passages/s": len(texts) / whole.seconds,
        "of the embedder alone": len(texts) / alone,
        "a question embedded, core ms": await _question_core_ms(texts),
    }
    bars = {"ingest_over_bare": alone / whole.seconds}
    return Report("ingest", bars, (row,), manifest())


async def _question_core_ms(texts: list[str]) -> float:
    """Processor time of one short text, embedded by itself as a question is."""
    embedder = LocalEmbedder()
    try:
        short = [text[:QUESTION_CHARACTERS] for text in texts[:QUESTIONS]]
        await embedder.embed(short[:1])  # opens the session
        began = time.process_time()
        for each in short:
            await embedder.embed([each])
        return (time.process_time() - began) / len(short) * 1e3
    finally:
        await embedder.close()


def _files(folder: Path, most: int) -> list[Path]:
    every = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return list(itertools.islice(every, most))


async def _add(files: list[Path], settings: Settings, what: str, watch: Watch) -> AddReport:
    parts = await open_resources(settings)
    try:
        return await add(
            files,
            index=parts.index,
            embedder=parts.embedder,
            chunker=parts.chunker,
            reader=parts.reader,
            collection=COLLECTION,
            progress=lambda done: watch(what, done.files, len(files)),
        )
    finally:
        await parts.close()
