"""Closing: every part is closed, whatever closing another one raises."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import pytest

from upheld.resources.open import Resources, Shared
from upheld.sync_client import Upheld


class Closable:
    """A part that notes that it was closed, and in which thread."""

    def __init__(self, closed: list[str], name: str, *, fails: bool = False) -> None:
        self._closed, self._name, self._fails = closed, name, fails
        self.thread: int | None = None

    async def close(self) -> None:
        self._closed.append(self._name)
        if self._fails:
            raise OSError(f"{self._name} cannot be closed")


class Reader(Closable):
    def close(self) -> None:  # type: ignore[override]
        self._closed.append(self._name)
        self.thread = threading.get_ident()


NAMES = ["index", "fallback_search", "embedder", "llm", "verifier", "grader", "reader"]


def parts(closed: list[str], failing: str) -> dict[str, Any]:
    made = {name: Closable(closed, name, fails=name == failing) for name in NAMES[:-1]}
    return {
        "embedder": made["embedder"],
        "llm": made["llm"],
        "verify": SimpleNamespace(model=made["verifier"]),
        "grade": SimpleNamespace(grader=made["grader"]),
        "chunker": None,
        "reader": Reader(closed, "reader"),
        "judge": None,
        "index": made["index"],
        "fallback_search": made["fallback_search"],
    }


@pytest.mark.parametrize("failing", NAMES[:-1])
async def test_all_parts_are_closed_also_if_one_fails(failing: str) -> None:
    closed: list[str] = []
    opened = Resources(settings=None, **parts(closed, failing))  # type: ignore[arg-type]
    with pytest.raises(OSError, match=failing):
        await opened.close()
    assert sorted(closed) == sorted(NAMES)


async def test_the_reader_is_closed_off_the_event_loop() -> None:
    """Its processes are ended and waited for."""
    closed: list[str] = []
    given = parts(closed, "")
    for of_one in ("index", "fallback_search"):
        del given[of_one]
    await Shared(**given).close()
    assert given["reader"].thread not in (None, threading.get_ident())
    assert set(closed) == set(NAMES) - {"index", "fallback_search"}


def test_a_knowledge_base_that_cannot_be_closed_leaves_no_thread(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb = Upheld.open(str(tmp_path), local_models=False)

    async def fail() -> None:
        raise OSError("it cannot be closed")

    monkeypatch.setattr(kb.kb, "close", fail)
    with pytest.raises(OSError, match="cannot be closed"):
        kb.close()
    assert not kb._loop.is_running
