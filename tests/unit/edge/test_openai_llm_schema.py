"""The schema that is sent must be one that OpenAI's strict mode takes: its rules, as tests."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from upheld.edge.openai.strict_schema import strict_schema
from upheld.generation.write import claims_about


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Part(BaseModel):
    """A part."""

    title: str
    colour: Colour = Field(description="of the part")
    default: int = 3


class Whole(BaseModel):
    parts: list[Part] = []
    best: Part | None = Field(default=None, description="if any")
    kind: Literal["a", "b"] = "a"
    same: Colour


class Tree(BaseModel):
    name: str
    children: list[Tree]


def objects(node: Any) -> list[dict[str, Any]]:
    """Every schema inside a schema, names of properties aside."""
    if isinstance(node, list):
        return [found for each in node for found in objects(each)]
    if not isinstance(node, dict):
        return []
    inner = [*node.get("properties", {}).values(), *node.get("$defs", {}).values()]
    inner += [value for key, value in node.items() if key not in ("properties", "$defs")]
    return [node, *(found for each in inner for found in objects(each))]


@pytest.mark.parametrize("model", [Part, Whole, Tree, claims_about(5, 4)])
def test_the_schema_is_strict(model: type[BaseModel]) -> None:
    schema = strict_schema(model)
    for node in objects(schema):
        if node.get("type") == "object":
            assert node["additionalProperties"] is False
            assert node["required"] == list(node["properties"])
        assert "default" not in node
        if "$ref" in node:
            assert list(node) == ["$ref"]
            assert node["$ref"].removeprefix("#/$defs/") in schema["$defs"]


def test_properties_keep_their_names() -> None:
    assert list(strict_schema(Part)["properties"]) == ["title", "colour", "default"]


def test_a_described_reference_is_written_out() -> None:
    colour = strict_schema(Part)["properties"]["colour"]
    assert colour["enum"] == ["red", "blue"]
    assert colour["description"] == "of the part"


class Bounded(BaseModel):
    pattern: str = Field(max_length=5, pattern="a+")
    format: list[int] = Field(min_length=1, max_length=2)


def test_bounds_can_be_left_out_but_never_fields() -> None:
    bounded, plain = strict_schema(Bounded), strict_schema(Bounded, bounded=False)
    assert bounded["properties"]["pattern"] == {"type": "string", "maxLength": 5, "pattern": "a+"}
    assert bounded["properties"]["format"]["maxItems"] == 2
    assert plain["properties"] == {
        "pattern": {"type": "string"},
        "format": {"type": "array", "items": {"type": "integer"}},
    }
