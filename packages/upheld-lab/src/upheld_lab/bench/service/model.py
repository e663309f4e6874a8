"""A language model that speaks OpenAI's protocol, takes a fixed time and quotes what it is shown.

`python -m upheld_lab.bench.service.model SECONDS` prints its address, and ends with its input.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from upheld._internal.concurrency import meanwhile
from upheld_lab.bench.costs.scripted import SHOWN
from upheld_lab.bench.costs.scripted_ports import lasting
from upheld_service.http.connections import listening

_SENTENCE = re.compile(r"[A-Z][^.?!\n]{10,}[.?!]")


def application(seconds: float) -> Starlette:
    """The one route that a writer calls."""

    async def complete(request: Request) -> Response:
        async with lasting(seconds):
            return JSONResponse(completion(await request.json()))

    return Starlette(routes=[Route("/v1/chat/completions", complete, methods=["POST"])])


def completion(asked: dict[str, Any]) -> dict[str, Any]:
    """One claim: the first sentence of the first passage that the prompt shows."""
    prompt = "\n\n".join(message["content"] for message in asked["messages"])
    shown = SHOWN.findall(prompt)
    said = _SENTENCE.search(shown[0][1]) if shown else None
    claims = [] if said is None else [{"sources": [1], "text": said[0]}]
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": asked["model"],
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": json.dumps({"claims": claims})},
            }
        ],
        "usage": {"prompt_tokens": 500, "completion_tokens": 30, "total_tokens": 530},
    }


async def _serve(seconds: float) -> None:
    config = uvicorn.Config(application(seconds), log_level="warning", access_log=False)
    server = uvicorn.Server(config)
    with listening("127.0.0.1", 0) as bound:
        print(f"http://127.0.0.1:{bound.getsockname()[1]}/v1", flush=True)
        async with meanwhile(server.serve([bound])) as serving:
            await asyncio.to_thread(sys.stdin.buffer.read)
            server.should_exit = True
            await serving


if __name__ == "__main__":
    asyncio.run(_serve(float(sys.argv[1])))
