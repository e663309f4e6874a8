"""Names use the field's words: in the source, in OpenAPI, and on the command line."""

from __future__ import annotations

import ast
import importlib
import re
import runpy
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi import FastAPI
from typer.main import get_command

from upheld._internal import deprecated
from upheld.cli import app as command_line
from upheld.settings import Settings, load_settings
from upheld_service.app import create_app

ROOT = Path(__file__).parents[2]
GLOSSARY = ROOT / "docs" / "glossary.md"
check_vocabulary = SimpleNamespace(**runpy.run_path(str(ROOT / "scripts" / "check_vocabulary.py")))
# Deprecated names in OpenAPI, each marked as such.
ALIASES = {*deprecated.ASK, *deprecated.CLAIM}


def test_the_source_has_no_old_names() -> None:
    assert check_vocabulary.old_names() == []


def test_every_public_name_has_a_docstring(record_property: Any) -> None:
    have, missing = check_vocabulary.docstrings()
    assert missing == []
    share = check_vocabulary.docstring_share()
    print(f"{have} docstrings, {share:.1%} of all lines")
    record_property("docstring_share", share)
    assert share > 0.08  # httpx has 11 %; far below, something was lost


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("def with_bearing(): ...", "with_bearing"),
        ("class Rivals: ...", "Rivals"),
        ("def f(on_point): ...", "on_point"),
        ("x.trouble = 1", "trouble"),
        ("f(wider=1)", "wider"),
        ("x = {'bearing': 1}", "bearing"),
        ("x = '--only-upheld'", "--only-upheld"),
        ("class Guard: ...", "Guard"),
        ("x['strict']", "strict"),
    ],
)
def test_the_check_finds(source: str, name: str) -> None:
    assert name in [found for _, found, old in check_vocabulary.names_of(ast.parse(source)) if old]


@pytest.mark.parametrize("source", ["zip(a, b, strict=True)", "parts = 1", "x = 'a wider road'"])
def test_the_check_leaves_alone(source: str) -> None:
    assert not [found for _, found, old in check_vocabulary.names_of(ast.parse(source)) if old]


def test_what_is_allowed_is_still_there() -> None:
    """An entry that nothing needs any more must go."""
    for path, names in check_vocabulary.ALLOWED.items():
        text = (check_vocabulary.ROOT / path).read_text(encoding="utf-8")
        assert all(name in text for name in names), path


def test_the_openapi_document_has_no_old_names(app: FastAPI) -> None:
    found = set(_keys(app.openapi()))
    assert len(found) > 100
    old = {name for name in found if check_vocabulary.is_old(name) or name in deprecated.ASK}
    assert old == ALIASES
    schemas = app.openapi()["components"]["schemas"]
    for schema, name in (("Ask", "strict"), ("Claim", "bearing")):
        assert schemas[schema]["properties"][name]["deprecated"] is True


@pytest.fixture
def app(tmp_path: Path) -> FastAPI:
    database = "postgresql://nobody@localhost/nothing"
    return create_app(load_settings(kb=str(tmp_path), database_url=database))


def test_the_command_line_has_no_old_names() -> None:
    names = set(_options(get_command(command_line)))
    assert "--keep-supported" in names
    assert "bench" in names
    assert [name for name in names if check_vocabulary.is_old(name)] == []
    assert "--strict" not in names  # it works, but nobody is shown it


def test_settings_have_no_old_names() -> None:
    assert [name for name in Settings.model_fields if check_vocabulary.is_old(name)] == []


def test_every_old_name_leads_to_one_that_is_there() -> None:
    assert set(deprecated.SETTINGS.values()) <= set(Settings.model_fields)
    methods = importlib.import_module("upheld.methods.parameters")
    assert set(deprecated.PARAMETERS.values()) <= set(methods.UpheldParameters.model_fields)


def test_the_glossary_says_each_word_in_a_line() -> None:
    rows = re.findall(r"^\| (.+?) \| (.+?) \|$", GLOSSARY.read_text(encoding="utf-8"), re.MULTILINE)
    words = [word for word, _ in rows[1:] if not set(word) <= set("- ")]
    assert len(words) > 30
    assert words == sorted(words, key=str.lower)
    assert len(words) == len(set(words))


def _keys(value: Any) -> Iterator[str]:
    """The names in a JSON document: keys, titles of schemas and names of parameters."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield str(key)
            if key in ("name", "operationId") and isinstance(each, str):
                yield each
            yield from _keys(each)
    elif isinstance(value, list):
        for each in value:
            yield from _keys(each)


def _options(command: Any) -> Iterator[str]:
    """Commands, arguments and flags that help shows."""
    yield command.name or ""
    for parameter in command.params:
        if not getattr(parameter, "hidden", False):
            yield from (parameter.name or "", *parameter.opts, *parameter.secondary_opts)
    for each in getattr(command, "commands", {}).values():
        if not each.hidden:
            yield from _options(each)
