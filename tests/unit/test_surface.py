"""The public surface is what we say it is, and importing it is light."""

from __future__ import annotations

import inspect
import subprocess
import sys

import upheld
from upheld.client import AsyncUpheld, Upheld

PUBLIC = {
    "Answer", "AsyncUpheld", "Budget", "Cause", "CheckedAnswer", "Citation", "Claim", "Conflict",
    "DocumentInfo", "Event",
    "Evidence", "Guarantee", "Hit", "Passage", "Question", "Scope", "SearchMode", "Status",
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
