"""`upheld bench prefix`: how much of what a later call shows is read from the server's cache.

Verification, feedback and refinement take the writer's conversation up again; a server with a
prefix cache reads only what is new in them. The figures are the server's own.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from upheld.client import AsyncUpheld
from upheld.types import Event, Usage, new_id
from upheld_lab.bench.costs.prefix_texts import PAGES, QUESTIONS
from upheld_lab.bench.manifest import manifest
from upheld_lab.bench.report import Report, Row, Watch

LATER = ("chain_verify", "phrase", "refine", "final")  # calls about an answer that was written
# With everything that the papers' loops do, so that every such call is made.
ASKED: Mapping[str, Mapping[str, Any]] = {
    "cov_rag": {"rounds": 1},
    "a2r": {"rounds": 2, "feedback": "phrased", "test_before": False, "final": True},
}


@dataclass(frozen=True, slots=True)
class Server:
    """Which language model is asked, and where."""

    url: str
    model: str


async def bench_prefix(server: Server, watch: Watch, questions: int = len(QUESTIONS)) -> Report:
    """The share of prompt tokens of later calls that came from the cache, by method and stage."""
    rows: list[Row] = []
    total = Usage()
    for done, (method, parameters) in enumerate(ASKED.items()):
        watch("methods", done, len(ASKED))
        with tempfile.TemporaryDirectory() as folder:
            events = await _asked(server, Path(folder), method, parameters, questions)
        for stage in ("write", *LATER):
            if calls := [event.usage for event in events if event.stage == stage]:
                used = sum(calls, Usage())
                rows.append(_row(method, stage, used))
                total += used if stage in LATER else Usage()
    watch("methods", len(ASKED), len(ASKED))
    rows.append(_row("both", "later calls", total))
    facts = manifest(model=server.model, questions=questions)
    return Report("prefix", {"cached_share": share(total)}, tuple(rows), facts)


def share(used: Usage) -> float:
    """Of the prompt's tokens, those that were read from the cache."""
    return used.cached_tokens / used.prompt_tokens if used.prompt_tokens else 0.0


async def _asked(
    server: Server, folder: Path, method: str, parameters: Mapping[str, Any], questions: int
) -> list[Event]:
    """The trace of every question, on pages that this server has not seen before."""
    files = _written(folder, pages(new_id()[:8]))
    events: list[Event] = []
    async with await AsyncUpheld.open(
        folder / "kb", llm_url=server.url, llm_model=server.model, llm_timeout=600
    ) as kb:
        await kb.add(files)
        for question in QUESTIONS[:questions]:
            answer = await kb.ask(question, method=method, parameters=parameters)
            events += answer.trace
    return events


def pages(edition: str) -> dict[str, str]:
    """The pages under titles of their own: else an earlier run would have filled the cache."""
    return {name: f"# Wren Island {edition}: {name}\n\n{text}\n" for name, text in PAGES.items()}


def _written(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    files = {folder / f"{name}.md": text for name, text in texts.items()}
    for file, text in files.items():
        file.write_text(text, encoding="utf-8")
    return list(files)


def _row(method: str, stage: str, used: Usage) -> Row:
    return {
        "method": method,
        "stage": stage,
        "calls": used.requests,
        "prompt tokens": used.prompt_tokens,
        "cached": used.cached_tokens,
        "share": share(used),
    }
