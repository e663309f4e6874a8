"""Servers that ignore `response_format`: recognise their replies, and put the schema in the prompt.

A server that decodes by the schema can stop too early, but never writes prose or another shape.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from openai.types.chat.chat_completion import Choice
from pydantic import BaseModel, ValidationError

from upheld.edge.openai.strict_schema import strict_schema
from upheld.ports import Message

IGNORED = (
    "the language model's server ignores response_format: the prompt asks for the JSON, "
    "and nothing enforces its shape"
)
_ASK = (
    "Reply with one JSON object that fits the JSON schema below. "
    "Write nothing before or after it, and no code fence."
)
_FENCE = "```"
# Faults of a value in the right place: a decoder may know the shape and not its bounds.
_BOUNDS = frozenset(
    {
        *("too_short", "too_long", "string_too_short", "string_too_long"),
        *("greater_than", "greater_than_equal", "less_than", "less_than_equal"),
        *("multiple_of", "finite_number", "string_pattern_mismatch"),
    }
)


def with_schema(messages: Sequence[Message], output: type[BaseModel]) -> tuple[Message, ...]:
    """Return the messages with the schema at the end, so that a cached prefix stays the same."""
    *before, last = messages
    schema = json.dumps(strict_schema(output), ensure_ascii=False)
    return (*before, replace(last, content=f"{last.content}\n\n{_ASK}\n\n{schema}"))


def ignores_schema(choices: Sequence[Choice], output: type[BaseModel]) -> bool:
    """Return whether every choice is a reply that no decoder bound to the schema would write."""
    return bool(choices) and all(_has_other_shape(each, output) for each in choices)


def _has_other_shape(choice: Choice, output: type[BaseModel]) -> bool:
    text = (choice.message.content or "").strip()
    if not text or choice.message.refusal or choice.finish_reason == "content_filter":
        return False
    try:
        output.model_validate_json(text)
    except ValidationError as error:
        faults = error.errors(include_input=False, include_url=False)
        if faults[0]["type"] == "json_invalid":
            ends_early = faults[0]["ctx"]["error"].startswith("EOF")
            return not (ends_early and text.startswith("{"))
        return not {each["type"] for each in faults} <= _BOUNDS
    return False


def unfenced(text: str) -> str:
    """Return what a Markdown code fence around the whole text holds, or the text as it is."""
    inside = text.strip()
    if not (inside.startswith(_FENCE) and inside.endswith(_FENCE)):
        return text
    _, _, rest = inside.partition("\n")  # the first line may name the language
    return rest.removesuffix(_FENCE).strip()
