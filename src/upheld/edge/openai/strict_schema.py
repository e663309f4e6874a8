"""The JSON schema of an output model, in the subset that every constrained decoder accepts."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema


class _Strict(GenerateJsonSchema):
    """Requires every field, with no extra ones and no defaults, as OpenAI's strict mode does.

    llama.cpp, vLLM and Ollama accept more, and accept this.
    """

    def field_is_required(self, field: Any, total: bool) -> bool:
        return True

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        described = super().model_schema(schema)
        described.pop("title", None)
        return {**described, "additionalProperties": False}


# Bounds that some strict decoders refuse (OpenAI: maxLength) and others enforce.
_BOUNDS = frozenset({"minLength", "maxLength", "pattern", "format", "minItems", "maxItems"}) | {
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
}


@lru_cache(maxsize=256)
def strict_schema(model: type[BaseModel], *, bounded: bool = True) -> dict[str, Any]:
    """Return the schema to send, with or without bounds; it is cached, so do not change it."""
    schema = model.model_json_schema(schema_generator=_Strict)
    plain: dict[str, Any] = _plain(schema, schema.get("$defs", {}), bounded)
    return plain


def _plain(node: Any, definitions: dict[str, Any], bounded: bool) -> Any:
    """Inline each `$ref` that has a description beside it: strict mode wants `$ref` alone."""
    if isinstance(node, list):
        return [_plain(each, definitions, bounded) for each in node]
    if not isinstance(node, dict):
        return node
    if isinstance(node.get("$ref"), str) and len(node) > 1:
        named = definitions[node["$ref"].removeprefix("#/$defs/")]
        node = {**named, **{key: value for key, value in node.items() if key != "$ref"}}
    plain: dict[str, Any] = {}
    for key, value in node.items():
        if key in ("properties", "$defs"):  # keys are names here, not keywords
            plain[key] = {name: _plain(each, definitions, bounded) for name, each in value.items()}
        elif bounded or key not in _BOUNDS:
            plain[key] = _plain(value, definitions, bounded)
    return plain
