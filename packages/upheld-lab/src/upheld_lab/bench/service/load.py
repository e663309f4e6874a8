"""Callers of the service, in a process of their own: what they cost is not the service's.

`python -m upheld_lab.bench.service.load` reads a plan from standard input, so that no key stands
on a command line, and prints what became of every request.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import httpx2

from upheld.errors import UpheldError
from upheld_lab.bench.service.figures import Replied

REQUEST_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Requests in turn: by so many callers who each wait for a reply, or so many a second."""

    url: str
    key: str
    requests: Sequence[tuple[str, Any]]  # path and body
    callers: int = 0
    count: int = 0  # all callers together
    per_second: float = 0.0
    seconds: float = 0.0  # without a count


async def loaded(plan: Plan) -> list[Replied]:
    """Carry out a plan in another process."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "upheld_lab.bench.service.load"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        output, _ = await process.communicate(json.dumps(asdict(plan)).encode())
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        raise UpheldError("The process that makes the load has fallen.")
    return [Replied(**each) for each in json.loads(output)]


async def carry_out(plan: Plan) -> list[Replied]:
    """Send the requests, here."""
    replies: list[Replied] = []
    requests = itertools.cycle(plan.requests)
    unlimited = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
    headers = {"Authorization": f"Bearer {plan.key}"}
    async with httpx2.AsyncClient(
        base_url=plan.url, headers=headers, timeout=REQUEST_SECONDS, limits=unlimited
    ) as client:
        began = time.perf_counter()

        async def send() -> None:
            path, body = next(requests)
            sent = time.perf_counter()
            reply = await client.post(path, json=body)
            now = time.perf_counter()
            replies.append(Replied(reply.status_code, now - sent, now - began))

        left = iter(range(plan.count)) if plan.count else itertools.count()

        async def call() -> None:
            for _ in left:
                if plan.seconds and time.perf_counter() - began >= plan.seconds:
                    return
                await send()

        async with asyncio.TaskGroup() as sending:
            for _ in range(plan.callers):
                sending.create_task(call())
            for number in range(round(plan.per_second * plan.seconds)):
                due = number / plan.per_second - (time.perf_counter() - began)
                await asyncio.sleep(max(due, 0.0))
                sending.create_task(send())
    return replies


if __name__ == "__main__":
    done = asyncio.run(carry_out(Plan(**json.load(sys.stdin))))
    json.dump([asdict(each) for each in done], sys.stdout)
