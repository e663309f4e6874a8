"""What `upheld ask` shows on a terminal while a language model writes."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import re
import sys
from pathlib import Path

import pytest

from tests.servers.unruly import in_turn, unruly
from tests.unit.edge.test_openai_llm_streams import delta, events
from upheld import AsyncUpheld
from upheld.cli.live import sentences_in

WRITTEN = '{"claims": [{"sources": [1], "text": "The ferry leaves \\u001b[2J at noon."}]}'


def test_sentences_are_found_in_half_a_reply() -> None:
    assert sentences_in('{"claims": [{"sources": [1], "te') == []
    first = '{"claims": [{"text": "One \\"quoted\\" claim.", "sources": [1]}'
    assert sentences_in(first) == ['One "quoted" claim.']
    assert sentences_in(first + ', {"text": "And ha') == ['One "quoted" claim.', "And ha"]
    assert sentences_in(first + ', {"text": "And \\u00')[1] == "And"
    assert sentences_in(first + ', {"text": "') == ['One "quoted" claim.']


@pytest.mark.parametrize("option", [(), ("--json",)])
async def test_the_stage_and_the_draft_are_shown_on_a_terminal(
    tmp_path: Path, option: tuple[str, ...]
) -> None:
    (tmp_path / "ferry.md").write_text("# The ferry\n\nThe ferry leaves the pier at noon.\n")
    async with await AsyncUpheld.open(tmp_path / "kb", local_models=False) as kb:
        await kb.add(tmp_path / "ferry.md")
    ours, theirs = pty.openpty()
    reply = events(*(delta(WRITTEN[at : at + 8]) for at in range(0, len(WRITTEN), 8)))
    async with unruly(in_turn(reply)) as server:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "upheld", "ask", "When does the ferry leave?"),
            *("--kb", "kb", "--llm", server.url, "--model", "m", *option),
            cwd=tmp_path,
            env={**os.environ, "UPHELD_LOCAL_MODELS": "false", "TERM": "xterm"},
            stdout=asyncio.subprocess.PIPE,
            stderr=theirs,
        )
        os.close(theirs)
        told, (out, _) = await asyncio.gather(
            asyncio.to_thread(_all_of, ours), process.communicate()
        )
    os.close(ours)
    assert len(server.completions) == 1
    if option:
        assert told == ""
        assert json.loads(out)["status"] == "answered"
        return
    drawn = re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", told)
    assert "writing · " in drawn
    assert "… The ferry leaves ?[2J at noon." in drawn, "the draft, without its orders"
    assert "…" not in out.decode()
    assert "The ferry leaves" in out.decode()


def _all_of(terminal: int) -> str:
    told = b""
    while True:
        try:
            told += os.read(terminal, 4096)
        except OSError:  # the other end was closed
            return told.decode()
