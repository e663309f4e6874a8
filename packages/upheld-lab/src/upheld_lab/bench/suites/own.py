"""Own data: a JSONL of questions, each with as much noted about it as there is.

A line needs `question` only. `answers` are wordings of which one is enough; `parts` are the items
of a list, each with its wordings; `gold` names passages of the knowledge base by their id.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from upheld.errors import NotFoundError, UsageError
from upheld_lab.bench.split import Split
from upheld_lab.bench.suites.draw import Candidate, Draw
from upheld_lab.bench.suites.files import hashes_of
from upheld_lab.bench.suites.suite import Asked, Suite

Text = Annotated[str, Field(min_length=1)]
SPLIT = Split.TEST  # own questions are on no side; the draw takes them all


class OwnQuestion(BaseModel):
    """A line of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)

    question: Text
    id: Text | None = None  # the number of its line if not given
    set: Text = "own"
    answers: tuple[Text, ...] = ()
    parts: tuple[Annotated[tuple[Text, ...], Field(min_length=1)], ...] = ()
    gold: frozenset[Text] = frozenset()
    answerable: bool | None = None
    facts: tuple[Text, ...] = ()
    yes: bool | None = None
    false_answers: tuple[Text, ...] = ()
    false_passages: frozenset[Text] = frozenset()

    @property
    def has_answer(self) -> bool:
        return bool(self.answers or self.parts or self.facts or self.gold) or self.yes is not None

    @model_validator(mode="after")
    def _no_answer_to_the_unanswerable(self) -> Self:
        if self.answerable is False and self.has_answer:
            raise ValueError("it is not answerable, yet has answers, parts, facts, gold or yes")
        return self


def load_own(questions: Path, *, limit: int | None = None, seed: int = 0) -> Suite:
    """A suite without passages: its questions are asked of the user's own knowledge base."""
    if not questions.is_file():
        raise NotFoundError(
            f"There is no file {questions}.", help="Give a file of JSON lines with questions."
        )
    sets = read_sets(questions.read_text(encoding="utf-8"), questions.name)
    draw = Draw(SPLIT, limit, None, seed)
    ordered = [draw.order(some) for some in sets.values()]
    return draw.suite("own", ordered, {}, hashes_of([questions]))


def read_sets(text: str, name: str) -> dict[str, list[Candidate]]:
    """The questions of a file by set; an error names the line."""
    sets: dict[str, list[Candidate]] = {}
    lines: dict[str, int] = {}
    for number, row in _lines(text, name):
        asked = _asked(row, number)
        if asked.id in lines:
            raise UsageError(
                f"{name}, line {number}: the id {asked.id} was given on line {lines[asked.id]}."
            )
        lines[asked.id] = number
        needs = asked.gold | asked.false_passages
        sets.setdefault(asked.set, []).append(Candidate(asked, needs, SPLIT))
    if not sets:
        raise UsageError(f"{name} has no questions.", help='A line is {"question": "…"}.')
    return sets


def _lines(text: str, name: str) -> Iterator[tuple[int, OwnQuestion]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                yield number, OwnQuestion.model_validate_json(line)
            except ValidationError as error:
                wrong = "; ".join(
                    ": ".join([*map(str, each["loc"]), each["msg"]]) for each in error.errors()
                )
                raise UsageError(
                    f"{name}, line {number}: {wrong}",
                    help=f"A question can have: {', '.join(OwnQuestion.model_fields)}.",
                ) from error


def _asked(row: OwnQuestion, number: int) -> Asked:
    return Asked(
        f"{row.set}/{row.id or number}",
        row.set,
        row.question,
        row.answers,
        row.parts,
        row.gold,
        True if row.answerable is None and row.has_answer else row.answerable,
        row.facts,
        row.yes,
        row.false_answers,
        row.false_passages,
    )
