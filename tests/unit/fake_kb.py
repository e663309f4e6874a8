"""A knowledge base of one document on fakes, for tests of what `ask` makes of it."""

from __future__ import annotations

from pathlib import Path

from upheld.client import AsyncUpheld
from upheld.ingest.chunk import Chunker
from upheld.ingest.worker import ReadWorker
from upheld.resources.open import Resources, judge_stage
from upheld.retrieval.grade import Grade
from upheld.settings import load_settings
from upheld.verification.verify import Verify
from upheld_lab.testing.fake_embedder import FakeEmbedder
from upheld_lab.testing.fake_entailment import FakeEntailment
from upheld_lab.testing.fake_grader import FakeGrader
from upheld_lab.testing.fake_index import FakeIndex
from upheld_lab.testing.fake_llm import FakeLLM, Script

TEXT = "The crossing takes 35 minutes. Dogs travel free of charge on the ferry."
QUESTION = "How long does the crossing take?"
WRITTEN = {"claims": [{"sources": [1], "text": "It takes 35 minutes."}]}


async def kb(
    tmp_path: Path,
    script: Script | None = None,
    *,
    embedder: FakeEmbedder | None = None,
    entailment: FakeEntailment | None = None,
    latency: float = 0.02,
    **more: object,
) -> AsyncUpheld:
    """Opened and filled; the script is what the language model writes."""
    document = tmp_path / "ferry.txt"
    document.write_text(TEXT, encoding="utf-8")
    embedder = embedder or FakeEmbedder()
    failing, embedder.fail = embedder.fail, False
    settings = load_settings(**more)
    llm = None if script is None else FakeLLM(script, latency=latency)
    verify = Verify(model=entailment)
    parts = Resources(
        settings=settings,
        index=FakeIndex(embedder.identity, embedder.dimension),
        embedder=embedder,
        llm=llm,
        verify=verify,
        grade=Grade(grader=FakeGrader(), upper=0.5, lower=-0.5),
        chunker=Chunker(),
        reader=ReadWorker(),
        judge=judge_stage(settings, llm, verify),
    )
    opened = AsyncUpheld(parts)
    await opened.add(document)
    embedder.fail = failing
    return opened
