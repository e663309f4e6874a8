"""`upheld mcp` in a process of its own, and the SDK's client connected to it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, TextContent


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "UPHELD_LOCAL_MODELS": "false", **more}


def command(kb: Path | str, *words: str) -> list[str]:
    return [sys.executable, "-m", "upheld", "mcp", "--kb", str(kb), *words]


@contextmanager
def serving(kb: Path | str, *words: str, **more: str) -> Iterator[str]:
    """The address of `upheld mcp --http` in a process of its own."""
    process = subprocess.Popen(
        command(kb, "--http", "--port", "0", *words),
        env=environment(**more),
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        told = process.stderr.readline()
        assert told.startswith("Serving assistants at "), told + process.stderr.read()
        yield told.split()[-1]
    finally:
        process.terminate()
        process.communicate(timeout=30)


@asynccontextmanager
async def over_stdio(
    kb: Path | str, *words: str, mode: str = "auto", **more: str
) -> AsyncIterator[Client]:
    program, *arguments = command(kb, *words)
    server = StdioServerParameters(command=program, args=arguments, env=environment(**more))
    async with Client(server, mode=mode) as client:
        yield client


@asynccontextmanager
async def over_http(kb: Path | str, *words: str, **more: str) -> AsyncIterator[Client]:
    with serving(kb, *words, **more) as address:
        async with Client(address) as client:
            yield client


def words(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text
