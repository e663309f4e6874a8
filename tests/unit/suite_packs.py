"""A small data pack in the formats of the real one, for tests of suites."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from itertools import count, islice
from pathlib import Path
from typing import Any

from upheld_lab.bench.corpus import SETS
from upheld_lab.bench.split import Split, split_of_article

Row = dict[str, Any]


def titles(split: Split, number: int, name: str = "Town") -> list[str]:
    """The first titles of this kind that fall on a side."""
    every = (f"{name} {i}" for i in count())
    return list(islice((each for each in every if split_of_article(each) is split), number))


def text_row(id: str, title: str, text: str = "", source: str = "wiki") -> Row:
    return {"pid": id, "title": title, "text": text or f"About {title}: {id}.", "source": source}


def question_row(id: str, gold: Iterable[str], *answers: str, text: str = "") -> Row:
    """Unanswerable if no answers are given."""
    return {
        "qid": id,
        "question": text or f"Question {id}?",
        "answers": list(answers),
        "answerable": bool(answers),
        "gold_pids": list(gold),
    }


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def write_whole(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        json.dump(content, file)


def write_corpus(data: Path, passages: Iterable[Row], **questions: Iterable[Row]) -> None:
    """The corpus with the questions of some sets; the others have none."""
    folder = data / "a_corpus"
    write_rows(folder / "passages.jsonl.gz", passages)
    for name, file in SETS.items():
        write_rows(folder / f"{file}.jsonl.gz", questions.get(name, ()))
    write_rows(folder / "q_squad2_dev.jsonl.gz", questions.get("squad2", ()))
