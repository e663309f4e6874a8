"""The public surface is what we say it is, and importing it is light."""

from __future__ import annotations

import inspect
import subprocess
import sys
from types import UnionType
from typing import get_args

import upheld
from upheld.client import AsyncUpheld, Upheld
from upheld.open_options import OpenSettings
from upheld.settings import Settings

PUBLIC = {
    "Answer", "AsyncUpheld", "Budget", "Cause", "CheckedAnswer", "Citation", "Claim", "Conflict",
    "DocumentInfo", "Event",
    "Evidence", "Generation", "Guarantee", "Hit", "LLM", "Message", "Passage", "Question",
    "Reply", "Sampling", "Scope", "SearchMode", "Status",
    "Support", "Upheld", "UpheldError", "Usage", "Verdict", "__version__", "verify",
    "verify_async",
}  # fmt: skip
HEAVY = ("lancedb", "pyarrow", "numpy", "onnxruntime", "openai")


def test_public_names() -> None:
    assert set(upheld.__all__) == PUBLIC
    assert all(hasattr(upheld, name) for name in PUBLIC)


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
