"""The public surface is what we say it is, and importing it is light."""

from __future__ import annotations

import ast
import builtins
import inspect
import re
import subprocess
import sys
from dataclasses import fields, is_dataclass
from types import UnionType
from typing import get_args

import pytest

import upheld
from upheld.client import AsyncUpheld
from upheld.open_options import OpenSettings
from upheld.settings import Settings
from upheld.sync_client import Upheld

# What annotations may name beside our own types: the standard library, numpy's arrays, and
# type variables.
KNOWN = {
    *vars(builtins), "Any", "AsyncIterator", "Callable", "Coroutine", "Iterable", "Iterator",
    "Literal", "Mapping", "Path", "PathLike", "Self", "Sequence", "T", "Unpack", "Output",
    "Output_co", "SecretStr", "Vector", "Vectors",
}  # fmt: skip
INTERNAL = {"DeprecatedAskArguments", "Resources"}  # nobody but our own code makes one
INSIDE = {"Settings", "StageFactory"}  # their methods hand out pydantic's parts, and stages
HEAVY = ("lancedb", "pyarrow", "numpy", "onnxruntime", "openai")


def test_every_public_name_is_there_and_explained() -> None:
    public = {name: getattr(upheld, name) for name in upheld.__all__}
    assert upheld.__all__ == sorted(upheld.__all__, key=_ruffs_order)
    unexplained = [
        name
        for name, value in public.items()
        if inspect.isclass(value) or inspect.isfunction(value)
        if not value.__doc__ or value.__doc__.startswith(f"{name}(")
    ]
    assert not unexplained


def _ruffs_order(name: str) -> tuple[bool, bool, str]:
    return (not name.isupper(), not name[0].isupper(), name)


def test_types_that_public_signatures_name_are_public() -> None:
    public = set(upheld.__all__) - INSIDE
    named = {each for name in public for each in _named(getattr(upheld, name))}
    assert named > {"Answer", "AskOptions", "Searcher"}, "the test reads no signatures"
    assert named - KNOWN - INTERNAL - set(upheld.__all__) == set()


def _named(value: object) -> set[str]:
    """The names in the annotations of a function, or of the fields and methods of a class."""
    found: set[str] = set()
    if inspect.isfunction(value):
        for text in value.__annotations__.values():
            tree = ast.parse(text if isinstance(text, str) else getattr(text, "__name__", "object"))
            found |= {each.id for each in ast.walk(tree) if isinstance(each, ast.Name)}
    elif inspect.isclass(value) and value.__module__.startswith("upheld."):
        if is_dataclass(value):
            for each in fields(value):
                tree = ast.parse(str(each.type))
                found |= {name.id for name in ast.walk(tree) if isinstance(name, ast.Name)}
        for name, each in vars(value).items():
            if name == "__init__" or not name.startswith("_"):
                found |= _named(getattr(each, "__func__", getattr(each, "fget", None) or each))
    return found


@pytest.mark.parametrize("of", [upheld.Upheld, upheld.AsyncUpheld])
def test_every_call_has_an_example(of: type) -> None:
    calls = {"add", "ask", "delete", "document_text", "documents", "maintain", "open", "put"}
    for name in (*calls, "document_passages", "re_embed", "search", "statistics"):
        assert ">>>" in (inspect.getdoc(getattr(of, name)) or ""), name
    assert all(">>>" in (each.__doc__ or "") for each in (of, upheld.verify, upheld.AskOptions))


def test_help_lists_what_there_is_by_what_one_wants() -> None:
    guide = upheld.__doc__ or ""
    missing = [name for name in upheld.__all__ if not re.search(rf"\b{name}\b", guide)]
    # Fields of what the guide names, and aliases.
    assert set(missing) == {
        "Document", "Failure", "Filter", "FittedGuarantee", "Generation", "HiddenText",
        "IndexedDocument", "Message", "Method", "Paths", "Question", "Reply", "Sampling", "Token",
        "__version__",
    }  # fmt: skip


def test_arguments_that_became_options_still_work_with_a_warning() -> None:
    with pytest.warns(DeprecationWarning, match="AskOptions") as warned:
        left = AsyncUpheld(None).ask("Which?", calibrated=False)  # type: ignore[arg-type]
    assert warned[0].filename == __file__  # so that Python shows it, and where
    left.close()
    with pytest.raises(TypeError, match="unexpected keyword argument 'budgets'"):
        _ = AsyncUpheld(None).ask("Which?", budgets=3)  # type: ignore[arg-type, call-arg]


def test_importing_upheld_loads_no_engine() -> None:
    code = f"import upheld, sys; print([m for m in {HEAVY!r} if m in sys.modules])"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert loaded.stdout.strip() == "[]"


def test_the_plain_client_has_every_call_of_the_async_one() -> None:
    def calls(of: type) -> set[str]:
        return {name for name, _ in inspect.getmembers(of, callable) if not name.startswith("_")}

    assert calls(AsyncUpheld) - {"scope"} == calls(Upheld) - {"run"}


def test_open_takes_every_setting_by_its_type() -> None:
    """Wider than the setting where its text is parsed (a path, a secret, a search mode)."""
    told = OpenSettings.__annotations__
    fields = {name: field for name, field in Settings.model_fields.items() if name != "kb"}
    assert list(told) == list(fields)
    for name, field in fields.items():
        kind = field.annotation
        wanted = {
            each.__name__ if isinstance(each, type) else str(each)
            for each in (get_args(kind) if isinstance(kind, UnionType) else (kind,))
        }
        given = {each.strip() for each in told[name].__forward_arg__.split("|")}
        assert {each.replace("NoneType", "None") for each in wanted} <= given, name
        assert given - wanted <= {"None", "str"}, name
    for opens in (AsyncUpheld.open, Upheld.open, Upheld.__init__):
        settings = inspect.signature(opens).parameters["settings"]
        assert settings.annotation == "Unpack[OpenSettings]"
