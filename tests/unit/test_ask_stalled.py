"""A language model that takes requests and never answers: the run waits once, and then quotes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.servers.unruly import HANG, in_turn, unruly
from upheld import AsyncUpheld, Status


@pytest.mark.parametrize("method", ["rag", "crag", "cov_rag", "fave", "upheld"])
async def test_a_stalled_server_costs_its_timeout_once(tmp_path: Path, method: str) -> None:
    (tmp_path / "ferry.md").write_text("# The ferry\n\nThe ferry leaves the pier at noon.\n")
    async with unruly(in_turn(HANG)) as server:
        opened = await AsyncUpheld.open(
            tmp_path / "kb",
            local_models=False,
            llm_url=server.url,
            llm_model="m",
            llm_timeout=0.5,
            llm_concurrency=2,
        )
        async with opened as kb:
            await kb.add(tmp_path / "ferry.md")
            answer = await kb.ask("When does the ferry leave the pier?", method=method)
    assert len(server.completions) <= 2, "what was under way at once"
    assert "retry" not in {event.stage for event in answer.trace}
    assert answer.status is Status.ANSWERED
    assert "noon" in answer.text
    assert any("did not answer in time" in label for label in answer.degraded)
