"""A language model behind HTTP whose replies depend on the request alone, for whoever resumes."""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any

from tests.servers.unruly import Request, Response, completion
from upheld.types import content_hash

_SENTENCE = re.compile(r"[A-Z][^.?!\n]{10,}[.?!]")


def content(request: Request) -> str:
    """The name of a call: everything that was sent."""
    return content_hash(json.dumps(request.body, sort_keys=True))


def reply(request: Request) -> Response:
    """Something that fits the schema asked for, made of sentences of the prompt; at times not."""
    dice = Random(content(request))
    schema = request.body["response_format"]["json_schema"]["schema"]
    prompt = "\n".join(message["content"] for message in request.body["messages"])
    sentences = _SENTENCE.findall(prompt)[-60:] or ["Nothing is known."]

    def sample() -> str:
        said = json.dumps(_value(schema, schema.get("$defs", {}), dice, sentences))
        return said if dice.random() < 0.95 else said[:-3]  # cut off

    tokens = len(prompt.split())
    usage = {
        "prompt_tokens": tokens,
        "completion_tokens": dice.randint(1, 80),
        "total_tokens": tokens + 80,
        "prompt_tokens_details": {"cached_tokens": dice.randint(0, tokens)},
    }
    return completion(*(sample() for _ in range(request.body.get("n", 1))), usage=usage)


def _value(
    schema: dict[str, Any], parts: dict[str, Any], dice: Random, sentences: list[str]
) -> Any:
    """A value by lot that fits a schema."""

    def of(inner: dict[str, Any]) -> Any:
        return _value(inner, parts, dice, sentences)

    if "$ref" in schema:
        return of(parts[schema["$ref"].rpartition("/")[2]])
    if "enum" in schema:
        return dice.choice(schema["enum"])
    match schema["type"]:
        case "object":
            return {name: of(inner) for name, inner in schema["properties"].items()}
        case "array":
            most = min(schema.get("maxItems", 3), 4)
            count = dice.randint(min(schema.get("minItems", 0), most), most)
            return [of(schema["items"]) for _ in range(count)]
        case "string":
            return dice.choice(sentences)[: schema.get("maxLength", 300)]
        case "boolean":
            return dice.random() < 0.2
        case "integer":
            return dice.randint(0, 5)
        case "number":
            return dice.random()
        case other:
            raise AssertionError(f"no stage asks for {other}")
