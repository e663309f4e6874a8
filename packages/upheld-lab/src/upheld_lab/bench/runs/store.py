"""A run's folder: what it depends on, its questions, and what came of them, a line each."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter

from upheld._internal.deprecated import with_new_names
from upheld._internal.to_json import to_json
from upheld.errors import NotFoundError, UsageError
from upheld_lab.bench.runs.records import Judged, Outcome, Scored
from upheld_lab.bench.suites.suite import Asked

T = TypeVar("T")
_ASKED, _OUTCOME, _SCORED = TypeAdapter(Asked), TypeAdapter(Outcome), TypeAdapter(Scored)
_JUDGED = TypeAdapter(Judged)


@dataclass(frozen=True, slots=True)
class RunFolder:
    """Reads typed values back; writes whole lines, and whole files or none."""

    path: Path

    @property
    def calls(self) -> Path:
        """Where replies of the language model are kept."""
        return self.path / "calls"

    @property
    def begun(self) -> bool:
        return self._manifest.exists()

    def manifest(self) -> dict[str, Any]:
        if not self.begun:
            raise NotFoundError(
                f"{self.path} holds no run.", help="Make one: upheld bench run --suite tiny"
            )
        manifest: dict[str, Any] = json.loads(self._manifest.read_text(encoding="utf-8"))
        return manifest

    def questions(self) -> list[Asked]:
        """The fixed list, in order."""
        return _read(self._questions, _ASKED)

    def outcomes(self) -> list[Outcome]:
        """In the order in which they came."""
        return _read(self._answers, _OUTCOME)

    def scored(self) -> list[Scored]:
        return _read(self._scores, _SCORED)

    def judged(self) -> list[Judged]:
        return _read(self.judgements, _JUDGED)

    def keep_facts(self, manifest: Mapping[str, Any], questions: Sequence[Asked]) -> None:
        """What the run depends on; the manifest comes last, so that with it all is there."""
        self.path.mkdir(parents=True, exist_ok=True)
        _replace(self._questions, "".join(map(_line, questions)))
        self.keep_manifest(manifest)

    def keep_manifest(self, manifest: Mapping[str, Any]) -> None:
        text = json.dumps(to_json(dict(manifest)), ensure_ascii=False, indent=2) + "\n"
        _replace(self._manifest, text)

    def add_outcome(self, outcome: Outcome) -> None:
        _append(self._answers, [outcome])

    def add_scored(self, scored: Iterable[Scored]) -> None:
        _append(self._scores, scored)

    def add_judged(self, judged: Judged) -> None:
        _append(self.judgements, [judged])

    def replace_scored(self, scored: Iterable[Scored]) -> None:
        _replace(self._scores, "".join(map(_line, scored)))

    def cut_torn_lines(self) -> None:
        """A kill in the midst of a write leaves half a line: what was not whole was not written."""
        for file in (self._answers, self._scores):
            _cut_torn_line(file)

    def cut_torn_judgement(self) -> None:
        """The same for a judge, who may come while the run is still being made."""
        _cut_torn_line(self.judgements)

    @property
    def judgements(self) -> Path:
        """What a judge said."""
        return self.path / "judgements.jsonl"

    @property
    def _manifest(self) -> Path:
        return self.path / "manifest.json"

    @property
    def _questions(self) -> Path:
        return self.path / "questions.jsonl"

    @property
    def _answers(self) -> Path:
        return self.path / "answers.jsonl"

    @property
    def _scores(self) -> Path:
        return self.path / "scores.jsonl"


def _line(value: object) -> str:
    return json.dumps(to_json(value), ensure_ascii=False) + "\n"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")  # a model may write half a surrogate pair


def _append(file: Path, values: Iterable[object]) -> None:
    with file.open("ab") as lines:
        lines.write(_bytes("".join(map(_line, values))))


def _cut_torn_line(file: Path) -> None:
    if file.exists():
        os.truncate(file, file.read_bytes().rfind(b"\n") + 1)


def _replace(file: Path, text: str) -> None:
    draft = file.with_suffix(".part")
    draft.write_bytes(_bytes(text))
    draft.replace(file)


def _named_as_now(outcome: Any) -> Any:
    """A line of a run; one of 0.1 has other names for some fields of its answer."""
    if isinstance(outcome, dict) and isinstance(answer := outcome.get("answer"), dict):
        return {**outcome, "answer": with_new_names(answer)}
    return outcome


def _read(file: Path, kind: TypeAdapter[T]) -> list[T]:
    """Whole lines only: the last may be half written, by a run under way or one that was killed."""
    if not file.exists():
        return []
    *whole, _ = file.read_bytes().split(b"\n")
    try:
        return [kind.validate_python(_named_as_now(json.loads(line))) for line in whole]
    except ValueError as error:
        raise UsageError(
            f"{file} has lines that this version of Upheld does not write.",
            help="Make the run again with another --out, or read it with the version that made it.",
        ) from error
