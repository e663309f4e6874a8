"""The file of a call cache: samples by key in SQLite, for any number of threads and processes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path

from pydantic import BaseModel

from upheld.ports import Generation, Message, Output, Sampling, Token
from upheld.types import content_hash

_PATIENCE = 30.0  # seconds that one process waits for the write of another


def call_key(
    identity: str, messages: Sequence[Message], output: type[BaseModel], sampling: Sampling
) -> str:
    """The hash of everything that decides the samples of a call, but for their number."""
    said = [[each.role, each.content] for each in messages]
    how = {**asdict(sampling), "samples": None}
    # The order of a schema's fields is the order in which they are decoded: it is not sorted.
    return content_hash(json.dumps([identity, said, output.model_json_schema(), how]))


def read(path: Path, keys: Sequence[str]) -> list[str]:
    """What is kept under the keys, up to the first under which there is nothing."""
    found: list[str] = []
    with _opened(path) as db:
        for key in keys:
            row = db.execute("SELECT reply FROM calls WHERE key = ?", (key,)).fetchone()
            if row is None:
                break
            found.append(row[0])
    return found


def write(path: Path, rows: Sequence[tuple[str, str]]) -> None:
    """Keep texts under keys, all or none."""
    with _opened(path) as db, db:
        db.executemany("INSERT OR REPLACE INTO calls VALUES (?, ?)", rows)


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection of its own for every use: nothing to share, and nothing to close in the end."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with closing(sqlite3.connect(path, timeout=_PATIENCE)) as db:
        db.execute("CREATE TABLE IF NOT EXISTS calls (key TEXT PRIMARY KEY, reply TEXT NOT NULL)")
        yield db


def as_text(generation: Generation[BaseModel] | None) -> str:
    """A sample as it is kept; None is one that did not fit its schema."""
    if generation is None:
        return "null"
    return json.dumps([generation.text, [asdict(each) for each in generation.tokens]])


def from_text(text: str, output: type[Output]) -> Generation[Output] | None:
    """The sample again; raises ValueError, as pydantic does, where it does not fit the schema."""
    kept = json.loads(text)
    if kept is None:
        return None
    said, tokens = kept
    read = tuple(
        Token(each["text"], each["logprob"], tuple((t, p) for t, p in each["alternatives"]))
        for each in tokens
    )
    return Generation(output.model_validate_json(said), said, read)
