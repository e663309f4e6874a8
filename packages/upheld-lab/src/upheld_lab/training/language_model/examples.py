"""Training examples: the messages that the library sends, and the reply that is learnt.

One JSON line each, so that other trainers can read them: `messages` is a list of role and content,
`reply` the assistant's turn.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from upheld.errors import NotFoundError
from upheld.ports import Message
from upheld_lab.bench.split import Split


@dataclass(frozen=True, slots=True)
class Example:
    """A conversation with the reply to learn, and where it comes from."""

    messages: tuple[Message, ...]
    reply: str
    task: str  # "answer", "chain", "direct" or "session"
    kind: str  # how it was made: "right", "wrong_marks", …
    split: Split
    document: str  # what must not be on both sides of a split
    question: str  # id of the question
    half: int = 1  # of CoV-RAG's data: D1 or D2


@dataclass(frozen=True, slots=True)
class Preference:
    """Two replies to the same messages, of which the first is to become more probable."""

    messages: tuple[Message, ...]
    chosen: str
    rejected: str
    split: Split
    document: str
    question: str
    difference: int  # gold facts that the chosen one finds beyond those of the other


def write_lines(rows: Iterable[dict[str, Any]], path: Path) -> None:
    """Write JSON lines; the file is whole or not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".new")
    with draft.open("w", encoding="utf-8") as out:
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    draft.rename(path)


def write_examples(examples: Iterable[Example], path: Path) -> None:
    """Write examples as JSON lines."""
    write_lines(map(_row, examples), path)


def write_preferences(pairs: Iterable[Preference], path: Path) -> None:
    """Write preference pairs as JSON lines."""
    write_lines(map(_row, pairs), path)


def read_examples(path: Path) -> list[Example]:
    """Read what `write_examples` wrote; raises `NotFoundError` without the file."""
    return [
        Example(**{**row, "messages": _messages(row), "split": Split(row["split"])})
        for row in _rows(path)
    ]


def read_preferences(path: Path) -> list[Preference]:
    """Read what `write_preferences` wrote; raises `NotFoundError` without the file."""
    return [
        Preference(**{**row, "messages": _messages(row), "split": Split(row["split"])})
        for row in _rows(path)
    ]


def conversation(messages: Sequence[Message]) -> list[dict[str, str]]:
    """The messages as a chat template takes them."""
    return [{"role": each.role, "content": each.content} for each in messages]


def _row(each: Example | Preference) -> dict[str, Any]:
    values = {field.name: getattr(each, field.name) for field in fields(each)}
    return {**values, "messages": conversation(each.messages), "split": each.split.value}


def _messages(row: dict[str, Any]) -> tuple[Message, ...]:
    return tuple(Message(each["role"], each["content"]) for each in row["messages"])


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    if not path.is_file():
        raise NotFoundError(f"There is no {path}.", help="Make it with `upheld train data`.")
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)
