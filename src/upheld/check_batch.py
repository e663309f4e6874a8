"""Check many stored answers: JSON lines in, JSON lines with verdicts out, in several processes.

A line is `{"id": …, "answer": …, "sources": [text, …], "question": …}`, where `id` (else the number
of the line) and `question` may be left out. Results are appended as they come, so that a run which
is interrupted continues: what the output has is not checked again, but for answers that failed.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from upheld._internal.to_json import to_json
from upheld.bulk import Broken, Bulk, Stage
from upheld.check import Checker
from upheld.errors import UpheldError, UsageError
from upheld.resources.bulk import for_worker, open_bulk
from upheld.resources.open import open_verify

if TYPE_CHECKING:
    from upheld.settings import Settings

TOGETHER = 32  # answers that one item of the work has at most: with 8, Ray itself took 5 %
_ITEMS_LEFT = 16  # towards the end, the answers that are left make as many items
Tell = Callable[[int, int], None]  # answers that are checked, and all of them


@dataclass(frozen=True, slots=True)
class BatchReport:
    """What a batch did; counts are of answers."""

    checked: int = 0
    supported: int = 0
    failed: tuple[str, ...] = ()  # the id and the reason
    already_checked: int = 0


_RESULT_BEGINS = b'{"id"'


@dataclass(frozen=True, slots=True)
class _Line:
    """The place of one answer in the file: workers read it there, so that little is sent."""

    id: str
    start: int
    length: int


@dataclass(frozen=True, slots=True)
class _Part:
    path: Path
    lines: tuple[_Line, ...]


def check_batch(
    answers: Path,
    out: Path,
    settings: Settings,
    *,
    on: str = "local",
    progress: Tell | None = None,
) -> BatchReport:
    """Check the answers of a file that `out` has no verdicts on yet, and append these to it.

    Raises `UsageError` if two lines have one id, if a line is no JSON object, or if `out` was
    written by another verifier or holds something else.
    """
    if out.exists() and out.samefile(answers):
        raise UsageError("--out is the file of answers.", help="Give another file with --out.")
    verifier = _verifier(settings)
    done = _done(out, verifier)
    lines = _lines(answers)
    left = [line for line in lines if line.id not in done]
    parts = [_Part(answers.resolve(), lines) for lines in _items(left)]
    tell = progress or (lambda checked, total: None)
    report = BatchReport(already_checked=len(lines) - len(left))
    tell(report.already_checked, len(lines))
    with closing(open_bulk(on)) as bulk, out.open("ab") as results:
        for part in _run(bulk, parts, settings):
            for result in part:
                results.write(json.dumps({**result, "verifier": verifier}).encode() + b"\n")
                report = _counted(report, result)
            results.flush()
            os.fsync(results.fileno())
            tell(report.already_checked + report.checked + len(report.failed), len(lines))
    return report


def _items(lines: Sequence[_Line]) -> Iterator[tuple[_Line, ...]]:
    """Cut the work into items that get smaller: at the end, no worker waits long for another."""
    first = 0
    while first < len(lines):
        count = min(TOGETHER, max(1, (len(lines) - first) // _ITEMS_LEFT))
        yield tuple(lines[first : first + count])
        first += count


def _run(bulk: Bulk, parts: Sequence[_Part], settings: Settings) -> Iterator[list[dict[str, Any]]]:
    stage = Stage("check", _OpenChecker(for_worker(settings)))
    for result in bulk.run(parts, stage):
        if isinstance(result, Broken):
            yield [{"id": line.id, "error": result.reason} for line in result.item.lines]
        else:
            yield result


def _counted(report: BatchReport, result: dict[str, Any]) -> BatchReport:
    if "error" in result:
        return replace(report, failed=(*report.failed, f"{result['id']}: {result['error']}"))
    return replace(
        report, checked=report.checked + 1, supported=report.supported + result["supported"]
    )


def _verifier(settings: Settings) -> str:
    """Name the model and the fit: verdicts of two verifiers do not belong in one file."""
    stage = open_verify(settings)
    if stage.model is None:
        return "quotes only"
    asyncio.run(stage.model.close())
    return f"{stage.model.identity}, fit {stage.decide.fingerprint}"


def _lines(path: Path) -> list[_Line]:
    """Find the answers of a file; raises `UsageError` for lines that are none."""
    lines: list[_Line] = []
    start = 0
    with path.open("rb") as file:
        for number, text in enumerate(file, start=1):
            if text.strip():
                lines.append(_Line(_id(path, number, text), start, len(text)))
            start += len(text)
    seen: set[str] = set()
    for line in lines:
        if line.id in seen:
            raise UsageError(f"{path} has two answers with the id {line.id!r}.")
        seen.add(line.id)
    return lines


def _id(path: Path, number: int, text: bytes) -> str:
    try:
        given = json.loads(text)
        return str(given.get("id", number))
    except (ValueError, AttributeError) as error:
        raise UsageError(f"Line {number} of {path} is no JSON object.") from error


def _done(out: Path, verifier: str) -> set[str]:
    """Return the ids that were checked, and leave only these in the file.

    A line that was half written when a run was killed is cut; one of an answer that failed, which
    is tried again, is taken out. Raises `UsageError` for a file that holds anything else.
    """
    if not out.exists():
        return set()
    text = out.read_bytes()
    end = text.rfind(b"\n") + 1
    whole, half = text[:end].splitlines(keepends=True), text[end:]
    results = [_result(out, line) for line in whole]
    if _is_json(half):
        _result(out, half)  # only its line end is missing; it is cut all the same
    elif not _RESULT_BEGINS.startswith(half[: len(_RESULT_BEGINS)]):
        raise _no_results(out)
    if other := next((each for each in results if each["verifier"] != verifier), None):
        raise UsageError(
            f"{out} has verdicts of another verifier: {other['verifier']}, not {verifier}.",
            help="Give another file with --out.",
        )
    checked = [line for line, each in zip(whole, results, strict=True) if "error" not in each]
    if (kept := b"".join(checked)) != text:
        _replace(out, kept)
    return {each["id"] for each in results if "error" not in each}


def _is_json(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _result(out: Path, line: bytes) -> dict[str, Any]:
    try:
        result = json.loads(line)
        if {"id", "verifier"} <= result.keys():
            return dict(result)
    except (ValueError, AttributeError):
        pass
    raise _no_results(out)


def _no_results(out: Path) -> UsageError:
    return UsageError(
        f"{out} is there already, and is no file of verdicts.", help="Give another file with --out."
    )


def _replace(file: Path, content: bytes) -> None:
    """Replace a file whole or not at all, whenever this process is killed."""
    draft = file.with_name(f"{file.name}.part")
    with draft.open("wb") as written:
        written.write(content)
        written.flush()
        os.fsync(written.fileno())
    draft.replace(file)


@dataclass(frozen=True, slots=True)
class _OpenChecker:
    """Opens the verifier in a worker."""

    settings: Settings

    def __call__(self) -> Callable[[_Part], list[dict[str, Any]]]:
        checker = Checker(self.settings)

        def check(part: _Part) -> list[dict[str, Any]]:
            with part.path.open("rb") as file:
                given = [_read(file, line) for line in part.lines]
            return checker.loop.run(_check_all(checker, part.lines, given))

        return check


async def _check_all(
    checker: Checker, lines: Sequence[_Line], given: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Check several answers at once, so that their pairs share batches of the model."""
    return await asyncio.gather(*map(partial(_check, checker), lines, given))


def _read(file: Any, line: _Line) -> dict[str, Any]:
    file.seek(line.start)
    given: dict[str, Any] = json.loads(file.read(line.length))
    return given


async def _check(checker: Checker, line: _Line, given: dict[str, Any]) -> dict[str, Any]:
    try:
        checked = await checker(given["answer"], given["sources"], given.get("question"), None)
    except KeyError as missing:
        return {"id": line.id, "error": f"there is no {missing}"}
    except UpheldError as error:
        return {"id": line.id, "error": str(error)}
    found = to_json(checked)
    return {"id": line.id} | {name: found[name] for name in ("supported", "claims", "degraded")}
