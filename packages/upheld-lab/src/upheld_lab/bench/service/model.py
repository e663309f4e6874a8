"""A language model that speaks OpenAI's protocol, takes a fixed time and quotes what it is shown.

`python -m upheld_lab.bench.service.model SECONDS` prints its address, and ends with its input. With
`CLAIMS TOKENS` after it, an answer has up to so many claims, and is streamed at so many tokens a
second.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from upheld._internal.concurrency import meanwhile
from upheld_lab.bench.costs.scripted import SHOWN
from upheld_lab.bench.costs.scripted_ports import lasting
from upheld_service.http.connections import listening

_SENTENCE = re.compile(r"[A-Z][^.?!\n]{10,}[.?!]")
_TOKEN = re.compile(r"\s*\w{1,6}|\s*\W")  # about as much text as a token of a real model has
_USAGE = {"prompt_tokens": 500, "completion_tokens": 30, "total_tokens": 530}


def application(seconds: float, claims: int = 1, tokens_per_second: float = 0.0) -> Starlette:
    """The one route that a writer calls."""

    async def complete(request: Request) -> Response:
        asked = await request.json()
        async with lasting(seconds):
            if asked.get("stream") and tokens_per_second:
                pieces = streamed(asked, claims, tokens_per_second)
                return StreamingResponse(pieces, media_type="text/event-stream")
            return JSONResponse(completion(asked, claims))

    return Starlette(routes=[Route("/v1/chat/completions", complete, methods=["POST"])])


def written(asked: dict[str, Any], claims: int) -> str:
    """The first sentences of the first passage that the prompt shows, as claims."""
    prompt = "\n\n".join(message["content"] for message in asked["messages"])
    shown = SHOWN.findall(prompt)
    said = _SENTENCE.findall(shown[0][1])[:claims] if shown else []
    return json.dumps({"claims": [{"sources": [1], "text": each} for each in said]})


def completion(asked: dict[str, Any], claims: int = 1) -> dict[str, Any]:
    """The whole reply at once."""
    message = {"role": "assistant", "content": written(asked, claims)}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    return {**_head(asked, "chat.completion"), "choices": [choice], "usage": _USAGE}


async def streamed(
    asked: dict[str, Any], claims: int, tokens_per_second: float
) -> AsyncIterator[str]:
    """The same reply as server-sent events, token by token."""
    head = _head(asked, "chat.completion.chunk")
    began = asyncio.get_running_loop().time()
    for number, token in enumerate(_TOKEN.findall(written(asked, claims)), start=1):
        await asyncio.sleep(began + number / tokens_per_second - asyncio.get_running_loop().time())
        choice = {"index": 0, "delta": {"content": token}, "finish_reason": None}
        yield f"data: {json.dumps({**head, 'choices': [choice]})}\n\n"
    ended = {"index": 0, "delta": {}, "finish_reason": "stop"}
    yield f"data: {json.dumps({**head, 'choices': [ended], 'usage': _USAGE})}\n\ndata: [DONE]\n\n"


def _head(asked: dict[str, Any], kind: str) -> dict[str, Any]:
    return {"id": "1", "object": kind, "created": 1, "model": asked["model"]}


async def _serve(seconds: float, claims: int = 1, tokens_per_second: float = 0.0) -> None:
    app = application(seconds, claims, tokens_per_second)
    config = uvicorn.Config(app, log_level="warning", access_log=False)
    server = uvicorn.Server(config)
    with listening("127.0.0.1", 0) as bound:
        print(f"http://127.0.0.1:{bound.getsockname()[1]}/v1", flush=True)
        async with meanwhile(server.serve([bound])) as serving:
            await asyncio.to_thread(sys.stdin.buffer.read)
            server.should_exit = True
            await serving


if __name__ == "__main__":
    seconds, *more = sys.argv[1:]
    asyncio.run(_serve(float(seconds), *((int(more[0]), float(more[1])) if more else ())))
