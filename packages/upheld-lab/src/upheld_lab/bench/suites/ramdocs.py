"""RAMDocs: questions that mean several things, over documents that are right, false or noise."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from upheld.types import Passage, content_hash
from upheld_lab.bench.pack import rows
from upheld_lab.bench.split import split_of_article
from upheld_lab.bench.suites.draw import Candidate
from upheld_lab.bench.suites.files import pack_file, passage
from upheld_lab.bench.suites.noted import falsehoods
from upheld_lab.bench.suites.suite import Asked

FILE = "d_robustness/ramdocs_test.jsonl.gz"
SET = "ramdocs"


def read_ramdocs(data: Path) -> tuple[list[Candidate], Mapping[str, Passage]]:
    """Questions that at least one right document answers, and all documents."""
    found, passages = [], dict[str, Passage]()
    for row in rows(pack_file(data, FILE)):
        passages |= {each.id: each for each in map(_passage, row["documents"])}
        asked = _asked(row)
        if asked.gold:
            needs = frozenset(map(_id, row["documents"]))
            found.append(Candidate(asked, needs, split_of_article(asked.text)))
    return found, passages


def _asked(row: Mapping[str, Any]) -> Asked:
    text, answers = row["question"].strip(), tuple(row["gold_answers"])
    return Asked(
        f"{SET}/{content_hash(text)[:12]}",
        SET,
        text,
        answers,
        parts=tuple((each,) for each in answers) if len(answers) > 1 else (),
        gold=_typed(row, "correct"),
        answerable=True,
        false_answers=falsehoods(row["wrong_answers"], answers),
        false_passages=_typed(row, "misinfo"),
    )


def _typed(row: Mapping[str, Any], type: str) -> frozenset[str]:
    return frozenset(_id(each) for each in row["documents"] if each["type"] == type)


def _id(document: Mapping[str, str]) -> str:
    return _passage(document).id


def _passage(document: Mapping[str, str]) -> Passage:
    return passage(SET, document["text"])
