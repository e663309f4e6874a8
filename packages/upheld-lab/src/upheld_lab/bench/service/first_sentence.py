"""How soon the first verified sentence of a streamed answer comes, and how many change after that.

The language model writes eight claims at thirty tokens a second; the rest is real.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

import httpx2

from upheld.errors import UpheldError
from upheld_lab.bench.report import Row, Watch
from upheld_lab.bench.service.servers import House, Served

CLAIMS = 8
FEWEST_CLAIMS = 6  # answers with fewer are not counted
TOKENS_PER_SECOND = 30.0
METHODS = ("rag", "upheld")


@dataclass(frozen=True, slots=True)
class Streamed:
    """One streamed answer: seconds until its first claim and until its end."""

    first: float
    whole: float
    claims: int
    revised: int

    @property
    def share(self) -> float:
        """The first sentence's part of the whole time."""
        return self.first / self.whole


async def bench_first_sentence(
    served: Served, house: House, questions: Sequence[str], streams: int, watch: Watch
) -> tuple[dict[str, float], list[Row]]:
    """The median share of each method; the larger one counts."""
    rows: list[Row] = []
    claims = revised = 0
    async with served.client(house) as client:
        for method in METHODS:
            found = list[Streamed]()
            for question in questions:
                watch(f"streams: {method}", len(found), streams)
                seen = await streamed(client, question, method)
                found += [seen] if seen.claims >= FEWEST_CLAIMS else []
                if len(found) == streams:
                    break
            else:
                raise UpheldError(f"Too few answers of {method} have {FEWEST_CLAIMS} claims.")
            claims += sum(each.claims for each in found)
            revised += sum(each.revised for each in found)
            rows.append(
                {
                    "streams": method,
                    "answers": len(found),
                    "first sentence p50, s": statistics.median(each.first for each in found),
                    "whole answer p50, s": statistics.median(each.whole for each in found),
                    "first_sentence_share": statistics.median(each.share for each in found),
                    "revised": sum(each.revised for each in found),
                }
            )
    share = max(row["first_sentence_share"] for row in rows)
    return {"first_sentence_share": share, "claims_revised": revised / claims}, rows


async def streamed(client: httpx2.AsyncClient, question: str, method: str) -> Streamed:
    """Ask for a stream, and note when its first claim and its end come."""
    body = {"question": question, "method": method, "stream": True}
    began = time.perf_counter()
    first, revised = None, 0
    async with client.stream("POST", "/v1/answers", json=body) as reply:
        reply.raise_for_status()
        async for name, told in _events(reply):
            now = time.perf_counter() - began
            if name == "claim" and first is None:
                first = now
            elif name == "claim_revised":
                revised += 1
            elif name == "final":
                return Streamed(first or now, now, len(told["claims"]), revised)
    raise UpheldError("The stream of an answer ended without it.")


async def _events(reply: httpx2.Response) -> AsyncIterator[tuple[str, Any]]:
    """Server-sent events by name, with their JSON."""
    name = ""
    async for line in reply.aiter_lines():
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))
