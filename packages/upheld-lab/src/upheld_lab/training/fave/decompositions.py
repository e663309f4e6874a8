"""StrategyQA's decompositions as search sessions, to learn the form of one (before DPO).

People wrote their steps for a reader who has the answers at hand: "#1" stands for the answer to the
first. A session is searched for without answers, so the step is named instead, where its wording
allows: "Who was the first king of Vell?" becomes "the first king of Vell". Steps that only compare
answers, or lean on one that cannot be named, are left out: there is nothing to search for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from upheld.prompts import load
from upheld.types import Passage
from upheld_lab.bench.metrics import normalise
from upheld_lab.bench.pack import lot
from upheld_lab.bench.split import SIDES, Split, article, split_of_article
from upheld_lab.bench.suites.facets import SET
from upheld_lab.bench.suites.files import pack_file, passage, whole
from upheld_lab.bench.suites.strategyqa import FILES
from upheld_lab.training.language_model.examples import Example

LONGEST = 160  # characters of a sub-question, as in the planner's schema
MOST = 5  # sub-questions of a session
_ANSWER = re.compile(r"#(\d)")
_YES_OR_NO = re.compile(
    r"^(?:is|are|was|were|do|does|did|has|have|had|can|could|would|will|should|may|might)\b", re.I
)
_IS_THE = re.compile(r"^(?:what|who|which)(?: \w+)? (?:is|was|are|were) ((?:the|an?) .+)$", re.I)
_WHICH_DOES = re.compile(
    r"^(?:what|which) ((?:(?:kind|type|types|kinds|group) of )?\w+) "
    r"(?!is\b|are\b|was\b|were\b|do\b|does\b|did\b|has\b|have\b|had\b|can\b|could\b|would\b|will\b)"
    r"(\w+(?:s|ed|ew|de|ote|ound|ilt) .+)$",
    re.I,
)


@dataclass(frozen=True, slots=True)
class PlannedQuestion:
    """A question, the steps that people took, and the passages that settle it."""

    id: str
    text: str
    article: str
    steps: tuple[str, ...]
    gold: frozenset[str]
    split: Split


def read_planned(data: Path, wanted: Sequence[Split] = SIDES) -> list[PlannedQuestion]:
    """StrategyQA's questions of these sides by lot, each wording once and on one side only."""
    rows = [row for name in FILES for row in whole(pack_file(data, name))]
    found = {normalise(row["question"]): row for row in rows}
    sides: dict[str, set[Split]] = {}
    for row in rows:
        sides.setdefault(normalise(row["question"]), set()).add(split_of_article(row["term"]))
    kept = [
        PlannedQuestion(
            row["qid"],
            row["question"].strip(),
            article(row["term"]),
            tuple(row["decomposition"]),
            frozenset(passage(SET, fact).id for fact in row["facts"]),
            split_of_article(row["term"]),
        )
        for text, row in found.items()
        if len(sides[text]) == 1 and sides[text] <= {*wanted}
    ]
    return sorted(kept, key=lambda each: lot("fave", each.id))


def facts_of(data: Path) -> list[Passage]:
    """All facts of StrategyQA as passages, as in the suite `facets`."""
    found: dict[str, Passage] = {}
    for name in FILES:
        for row in whole(pack_file(data, name)):
            for fact in row["facts"]:
                each = passage(SET, fact, row["term"])
                found.setdefault(each.id, each)
    return list(found.values())


def self_contained(steps: Sequence[str]) -> tuple[str, ...]:
    """The steps that can be searched for, with earlier ones named where they are needed.

    >>> self_contained(["Who was the first king of Vell?", "When was #1 born?", "Is #2 a year?"])
    ('Who was the first king of Vell?', 'When was the first king of Vell born?')
    """
    plain: list[str | None] = []
    for step in steps:
        text = " ".join(step.split())
        needed = [int(number) for number in _ANSWER.findall(text)]
        names = {number: _name(plain, number) for number in needed}
        if needed and (_YES_OR_NO.match(text) or None in names.values()):
            plain.append(None)
            continue
        for number, name in names.items():
            text = text.replace(f"#{number}", name or "")
        plain.append(text if text and len(text) <= LONGEST else None)
    return tuple(dict.fromkeys(each for each in plain if each))[:MOST]


def _name(steps: Sequence[str | None], number: int) -> str | None:
    """What the answer to a step is, without knowing it; None if its wording does not tell."""
    if not 1 <= number <= len(steps) or (step := steps[number - 1]) is None:
        return None
    asked = step.rstrip("?").strip()
    if the := _IS_THE.match(asked):
        return the[1]
    if does := _WHICH_DOES.match(asked):
        return f"the {does[1]} that {does[2]}"
    return None


def examples(questions: Sequence[PlannedQuestion]) -> Iterator[Example]:
    """Sessions to learn from: the planner's messages, and the steps as it is to write them.

    One step alone is left out: every question here needs two facts or more, so that it would teach
    to search for too little.
    """
    for each in questions:
        steps = self_contained(each.steps)
        if len(steps) > 1:
            yield Example(
                load("session").render(question=each.text),
                as_reply(steps),
                "session",
                "decomposition",
                each.split,
                each.article,
                each.id,
            )


def as_reply(questions: Sequence[str]) -> str:
    """A session as the planner writes it."""
    return json.dumps({"questions": list(questions)}, ensure_ascii=False)
