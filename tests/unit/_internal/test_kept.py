"""Results are kept for one run, within a bound of bytes, and go with it."""

from __future__ import annotations

import ast
import asyncio
from pathlib import Path

import upheld
from upheld._internal.cache import MOST_BYTES, cached_entries, cached_in_run, run_cache
from upheld.edge.web.bounded_cache import BoundedCache
from upheld.run.trace import start_run
from upheld.text.words import content_stems

SOURCE = Path(upheld.__file__).parent
# Caches of the process that hold nobody's words, but types, parsers and the like.
NO_TEXT = {
    "_block_parser": "a parser",
    "_children": "a pool of processes",
    "_claims_about": "a type",
    "_fields": "names of a type's fields",
    "_inline_parser": "a parser",
    "_table_parser": "a parser",
    "_script": "single letters",
    "_trusted": "certificates",
    "advice_on": "a type",
    "at_most": "a type",
    "memory": "a number",
    "serves_for": "a type",
    "short_from": "a type",
    "strict_schema": "a schema of a type",
    "words_about": "a type",
}
# Those that are not part of the service, or keep numbers.
ELSEWHERE = ("testing", "cli", "calibration", "prompts")


class Counted:
    def __init__(self) -> None:
        self.calls = 0
        self.work = cached_in_run(100)(self._work)

    def _work(self, text: str) -> int:
        self.calls += 1
        return len(text)


def test_a_result_is_worked_out_once_in_a_run_and_again_in_the_next() -> None:
    counted = Counted()
    for runs in (1, 2):
        with start_run():
            assert [counted.work("nine") for _ in range(5)] == [4] * 5
        assert counted.calls == runs
        assert cached_entries() == 0


def test_nothing_is_kept_outside_a_run() -> None:
    counted = Counted()
    assert [counted.work("nine") for _ in range(3)] == [4] * 3
    assert (counted.calls, cached_entries()) == (3, 0)
    content_stems("The lighthouse opens at nine.")
    assert cached_entries() == 0


def test_a_cache_has_a_bound_in_bytes() -> None:
    counted = Counted()
    with run_cache(most_bytes=100_000) as cache:
        for number in range(1_000):
            counted.work(f"{number} " + "x" * 1_000)
            assert cache.bytes <= 100_000
        assert 0 < cache.entries() < 20
    assert MOST_BYTES <= 64_000_000


def test_long_texts_are_not_kept() -> None:
    counted = Counted()
    with run_cache() as cache:
        counted.work("x" * 100_000)
        assert cache.entries() == 0


async def test_runs_at_once_share_nothing_and_threads_of_a_run_share_all() -> None:
    counted = Counted()

    async def run() -> None:
        with start_run():
            counted.work("nine")
            await asyncio.sleep(0)
            await asyncio.to_thread(counted.work, "nine")

    await asyncio.gather(run(), run(), run())
    assert counted.calls == 3


def test_whatever_holds_the_context_of_a_run_holds_none_of_its_texts() -> None:
    with start_run() as run:
        content_stems("The lighthouse opens at nine.")
        run.known["sources"] = "The lighthouse opens at nine."
        assert cached_entries() > 0
    assert (cached_entries(), run.known) == (0, {})


def test_pages_are_remembered_within_a_bound_of_bytes() -> None:
    pages = BoundedCache[str, str](100, 60.0, size=len, most_bytes=1_000)
    for number in range(20):
        pages.put(f"page {number}", "x" * 300)
        assert pages.bytes <= 1_000
    assert [pages.get(f"page {number}") is not None for number in (16, 17, 18, 19)] == [
        False,
        True,
        True,
        True,
    ]
    pages.put("page 19", "x" * 2_000)  # too large to be remembered, and instead of the old one
    assert (pages.get("page 19"), pages.bytes, len(pages)) == (None, 600, 2)


def test_no_other_cache_of_the_process_holds_texts() -> None:
    """A new `lru_cache` must be kept by run, or be named here with what it holds."""
    found = set()
    for file in SOURCE.rglob("*.py"):
        if file.relative_to(SOURCE).parts[0] in ELSEWHERE or file.name in (
            "cache.py",
            "bounded_cache.py",
        ):
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                for decorator in node.decorator_list:
                    call = decorator.func if isinstance(decorator, ast.Call) else decorator
                    if isinstance(call, ast.Name) and call.id in ("lru_cache", "cache"):
                        found.add(node.name)
    assert found <= set(NO_TEXT), "caches of texts are kept by run: upheld._internal.cache"
