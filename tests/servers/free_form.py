"""A language model whose server ignores `response_format`: only the prompt decides what it writes.

It writes JSON where the prompt ends in a schema, and else whatever it likes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from tests.servers.unruly import Handler, Request, Response, completion

PROSE = "Well, that is a good question! I would say green."


def schema_in_prompt(request: Request) -> dict[str, Any] | None:
    """The schema that the last message ends in, if it does."""
    last = request.body["messages"][-1]["content"].rpartition("\n")[2]
    try:
        found = json.loads(last)
    except ValueError:
        return None
    return found if isinstance(found, dict) and "properties" in found else None


def free_form(says: Callable[[Request], Mapping[str, Any]], otherwise: str = PROSE) -> Handler:
    """Answer with what `says` returns where the prompt states a schema, and `otherwise` if not."""

    def answer(request: Request) -> Response:
        stated = schema_in_prompt(request) is not None
        text = json.dumps(says(request)) if stated else otherwise
        return completion(*(text for _ in range(request.body.get("n", 1))))

    return answer
