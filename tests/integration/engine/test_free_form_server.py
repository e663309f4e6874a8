"""Questions to a knowledge base whose language model's server ignores `response_format`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.servers.free_form import PROSE, free_form, schema_in_prompt
from tests.servers.unruly import Request, unruly
from upheld import AsyncUpheld, Status
from upheld.methods.registry import METHODS

QUESTION = "When does the ferry leave the pier?"
SAID = "The ferry leaves the pier at noon."
VALUES: dict[str, Any] = {
    "claims": [{"sources": [1], "text": SAID}],
    "questions": [QUESTION],
    "question": QUESTION,
    "done": False,
    "serves": ["yes"],
    "judgment": "true",
    "revised_question": "",
    "phrases": ["ferry", "pier"],
}


def says(request: Request) -> dict[str, Any]:
    """What the schema in the prompt asks for; scores are all alike."""
    schema = schema_in_prompt(request)
    assert schema is not None
    return {name: VALUES.get(name, 0.9) for name in schema["properties"]}


async def opened(tmp_path: Path, url: str) -> AsyncUpheld:
    page = tmp_path / "ferry.md"
    page.write_text(f"# The ferry\n\n{SAID}\n", encoding="utf-8")
    kb = await AsyncUpheld.open(tmp_path / "kb", local_models=False, llm_url=url, llm_model="m")
    await kb.add(page)
    return kb


async def test_every_method_answers_and_says_so(tmp_path: Path) -> None:
    async with unruly(free_form(says)) as server, await opened(tmp_path, server.url) as kb:
        for method in METHODS:
            answer = await kb.ask(QUESTION, method=method)
            assert answer.status is Status.ANSWERED
            assert "noon" in answer.text
            assert any("response_format" in note for note in answer.degraded), method
            assert "sentences are quoted" not in str(answer.degraded)
            assert "127.0.0.1" not in str(answer.degraded)
    unstated = [each for each in server.completions if schema_in_prompt(each) is None]
    assert len(unstated) == 1, "the first call of all, and no other, was made twice"


@pytest.mark.parametrize("method", ["rag", "upheld"])
async def test_a_server_that_writes_only_prose_leaves_quotes(tmp_path: Path, method: str) -> None:
    async with (
        unruly(free_form(lambda _: {"prose": PROSE})) as server,
        await opened(tmp_path, server.url) as kb,
    ):
        answer = await kb.ask(QUESTION, method=method)
    assert "noon" in answer.text
    assert any("response_format" in note for note in answer.degraded)
    assert any("quoted" in note for note in answer.degraded)
    assert PROSE not in answer.text
