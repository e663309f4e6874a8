"""Long replies are rendered off the event loop, and read the same."""

from __future__ import annotations

import json

import pytest

from upheld._internal.to_json import to_json
from upheld.check import CheckedAnswer, CheckedSource
from upheld.types import Claim, Support, Verdict
from upheld_service.routes.replies import OFF_LOOP_CLAIMS, rendered


@pytest.mark.parametrize("count", [0, 1, OFF_LOOP_CLAIMS, OFF_LOOP_CLAIMS + 1, 3000])
async def test_a_checked_answer_reads_the_same_however_long_it_is(count: int) -> None:
    verdict = Verdict(Support.SUPPORTED, reason="it says \u201cnine\u201d")
    claims = tuple(Claim(f"Claim {each}.", (), verdict, each, each + 1) for each in range(count))
    sources = (CheckedSource("source-1", "", "", "v"),) * 2
    checked = CheckedAnswer('It "opens".\n', True, claims, sources, ("the verifier",))
    reply = await rendered(checked)
    assert json.loads(bytes(reply.body)) == to_json(checked)
    assert reply.headers["content-type"] == "application/json"
    assert reply.headers["content-length"] == str(len(reply.body))
