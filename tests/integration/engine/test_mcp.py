"""Assistants ask, verify and search through the SDK's own client, over both transports."""

from __future__ import annotations

import subprocess
from pathlib import Path

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.integration.assistants import (
    command,
    environment,
    over_http,
    over_stdio,
    serving,
    words,
)
from upheld import Upheld
from upheld._internal.to_json import to_json

DOCUMENTS = Path(__file__).parents[3] / "examples" / "documents"
QUESTION = "How long does the ferry crossing take?"
KEY = "a-key-of-the-test-0123456789"


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kb")
    with Upheld.open(folder, local_models=False) as opened:
        assert opened.add(DOCUMENTS).added == 3
    return folder


@pytest.mark.parametrize("connected", [over_stdio, over_http])
async def test_an_assistant_lists_asks_verifies_and_searches(kb: Path, connected: object) -> None:
    assert callable(connected)
    async with connected(kb) as client:
        assert client.instructions is not None
        assert "never instructions" in client.instructions
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"ask", "verify", "search"}
        for tool in tools.values():
            assert tool.description is not None
            assert "untrusted" in tool.description
            assert tool.output_schema is not None
            assert tool.output_schema["type"] == "object"
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint

        asked = await client.call_tool("ask", {"question": QUESTION})
        assert not asked.is_error, words(asked)
        answer = asked.structured_content
        with Upheld.open(kb, local_models=False) as opened:
            same = to_json(opened.ask(QUESTION))
        assert answer is not None
        assert set(answer) == set(same)
        for key in ("text", "claims", "sources", "status", "degraded"):
            assert answer[key] == same[key]
        assert "35 minutes" in words(asked)
        assert "[1] — supported" in words(asked)
        assert "note: no embedder" in words(asked)
        assert "never instructions" in words(asked)

        sources = ["The tower was built in 1869. It has 189 steps."]
        text = "The tower was built in 1869. [1] It has 200 steps. [1]"
        checked = await client.call_tool("verify", {"answer": text, "sources": sources})
        found = checked.structured_content
        assert found is not None
        assert [claim["verdict"]["support"] for claim in found["claims"]] == [
            "supported",
            "not_checked",  # there is no model, and it is no quote
        ]
        assert found["supported"] is False
        assert words(checked).startswith("not all is supported")

        searched = await client.call_tool("search", {"query": "ferry crossing", "limit": 2})
        hits = (searched.structured_content or {})["hits"]
        assert 1 <= len(hits) <= 2
        assert any("35 minutes" in hit["passage"]["text"] for hit in hits)
        assert f"“{hits[0]['passage']['text']}”" in words(searched)
        assert "note: no embedder" in words(searched)


async def test_errors_say_what_to_do(kb: Path, tmp_path: Path) -> None:
    async with over_stdio(kb) as client:
        wrong = await client.call_tool("ask", {"question": QUESTION, "method": "magic"})
        assert wrong.is_error
        assert "rag" in words(wrong)
        for unfit in ({}, {"question": ""}, {"question": "x" * 5000}):
            assert (await client.call_tool("ask", unfit)).is_error
        nothing = await client.call_tool("verify", {"answer": "   ", "sources": ["Text."]})
        assert nothing.is_error
        assert "empty" in words(nothing)
        for tool, arguments in (("ask", {"question": "Why?"}), ("search", {"query": "Why?"})):
            late = await client.call_tool(tool, {**arguments, "seconds": 1e-9})
            assert late.is_error
            assert "Allow more" in words(late)
    async with over_stdio(tmp_path / "new") as client:
        for tool, arguments in (("ask", {"question": "Why?"}), ("search", {"query": "Why?"})):
            empty = await client.call_tool(tool, arguments)
            assert empty.is_error
            assert "upheld index" in words(empty)


async def test_labels_limit_what_assistants_see(tmp_path: Path) -> None:
    folder = tmp_path / "kb"
    with Upheld.open(folder, local_models=False) as opened:
        opened.add(DOCUMENTS / "lighthouse.md", labels=["wardens"])
        opened.add(DOCUMENTS / "ferry.txt")
    question = {"question": "When does the lighthouse open to visitors?"}
    # Assistants of today speak the older protocol, which begins with a handshake.
    async with over_stdio(folder, "--label", "guests", mode="legacy") as client:
        assert "9:30" not in str((await client.call_tool("ask", question)).structured_content)
    async with over_stdio(folder, "--label", "wardens") as client:
        assert "9:30" in words(await client.call_tool("ask", question))


async def test_hidden_documents_are_answered_like_none(tmp_path: Path) -> None:
    hidden, empty = tmp_path / "hidden", tmp_path / "empty"
    for folder, paths in ((hidden, [DOCUMENTS / "lighthouse.md"]), (empty, [])):
        with Upheld.open(folder, local_models=False) as opened:
            for path in paths:
                opened.add(path, labels=["wardens"])
    told = []
    for folder in (hidden, empty):
        async with over_stdio(folder, "--label", "guests") as client:
            asked = await client.call_tool("ask", {"question": "When does it open?"})
            found = await client.call_tool("search", {"query": "lighthouse"})
            assert asked.is_error
            told.append((words(asked), words(found)))
    assert told[0] == told[1]


async def test_with_a_key_nobody_else_is_served(kb: Path) -> None:
    with serving(kb, UPHELD_MCP_KEY=KEY) as address:
        for given in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {KEY}"}):
            async with httpx2.AsyncClient(headers=given, timeout=60) as stranger:
                refused = await stranger.post(address, json={"jsonrpc": "2.0"})
                assert refused.status_code == 401
        headers = {"Authorization": f"Bearer {KEY}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60) as known:
            transport = streamable_http_client(address, http_client=known)
            async with Client(transport, mode="legacy") as client:
                asked = await client.call_tool("ask", {"question": QUESTION})
                assert "35 minutes" in words(asked)


async def test_a_page_in_a_browser_cannot_ask_a_server_on_loopback(kb: Path) -> None:
    with serving(kb) as address:
        async with httpx2.AsyncClient(timeout=60) as browser:
            for foreign in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}):
                told = await browser.post(address, json={"jsonrpc": "2.0"}, headers=foreign)
                assert told.status_code in (403, 421)


def test_without_a_key_only_this_machine_is_served(kb: Path) -> None:
    told = subprocess.run(
        command(kb, "--http", "--port", "0", "--host", "0.0.0.0"),
        capture_output=True,
        text=True,
        env=environment(),
        timeout=120,
        check=False,
    )
    assert told.returncode == 2
    assert "UPHELD_MCP_KEY" in told.stderr
