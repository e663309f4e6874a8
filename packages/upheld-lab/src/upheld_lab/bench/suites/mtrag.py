"""MTRAG-UN: questions that end conversations, of which only those that stand alone are asked.

The set has no standalone wording of its questions. Kept are those labelled ANSWERABLE or
UNANSWERABLE that open a conversation, or that follow up with six words or more and none that
points back ("it", "those", "other"); remarks and clarifications are not. Answerable ones have the
passages that people marked as gold, and no short answers; what the unanswerable ones were asked of
is not published, so they stand before the passages of all the others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from upheld.types import Passage
from upheld_lab.bench.pack import rows
from upheld_lab.bench.split import split_of_article
from upheld_lab.bench.suites.draw import Candidate
from upheld_lab.bench.suites.files import pack_file, passage
from upheld_lab.bench.suites.suite import Asked

FILE = "d_robustness/mtrag_un_reference.jsonl.gz"
SET = "mtrag"
_ANSWERABLE = {("ANSWERABLE",): True, ("UNANSWERABLE",): False}
_POINTING = re.compile(
    r"\b(it|its|they|them|theirs?|this|that|these|those|there|he|she|him|his|hers?"
    r"|ones?|others?|another|same|then|also|such|else|both)\b",
    re.IGNORECASE,
)
_ENOUGH_WORDS = 6


def read_mtrag(data: Path) -> tuple[list[Candidate], Mapping[str, Passage]]:
    """The questions that are asked, and the passages of all that are in the file."""
    tasks = list(rows(pack_file(data, FILE)))
    passages = {each.id: each for task in tasks for each in _contexts(task)}
    needs = frozenset(passages)
    found = [
        Candidate(_asked(task), needs, split_of_article(task["conversation_id"]))
        for task in tasks
        if tuple(task["answerability"]) in _ANSWERABLE and _stands_alone(task)
    ]
    return found, passages


def _asked(task: Mapping[str, Any]) -> Asked:
    answerable = _ANSWERABLE[tuple(task["answerability"])]
    gold = frozenset(each.id for each in _contexts(task)) if answerable else frozenset[str]()
    text = task["input"][-1]["text"].strip()
    return Asked(f"{SET}/{task['task_id']}", SET, text, gold=gold, answerable=answerable)


def _contexts(task: Mapping[str, Any]) -> list[Passage]:
    return [passage(SET, each["text"], each.get("title") or "") for each in task["contexts"]]


def _stands_alone(task: Mapping[str, Any]) -> bool:
    if "Non-Question" in task["Question Type"]:
        return False
    if len(task["input"]) == 1:
        return True
    text = task["input"][-1]["text"]
    return (
        "Clarification" not in task["Multi-Turn"]
        and len(text.split()) >= _ENOUGH_WORDS
        and not _POINTING.search(text)
    )
