"""A run in a few numbers, for the end of the command; the table is made by the report."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from upheld_lab.bench.runs.store import RunFolder


@dataclass(frozen=True, slots=True)
class Summary:
    """How far a run has come, and what went wrong on the way."""

    run: str
    suite: str
    variants: tuple[str, ...]
    questions: int
    finished: int  # answered by all variants
    answers: int
    degraded: int  # a part was missing and something lesser stood in for it
    untimed: int  # resumed, or helped by who asked before
    errors: tuple[str, ...]  # one for each outcome without an answer

    @property
    def complete(self) -> bool:
        return self.finished == self.questions


def summary(folder: RunFolder) -> Summary:
    """What the folder holds."""
    manifest, questions, outcomes = folder.manifest(), folder.questions(), folder.outcomes()
    variants = tuple(manifest["variants"])
    answered = Counter(outcome.question for outcome in outcomes)
    return Summary(
        run=str(folder.path),
        suite=manifest["suite"],
        variants=variants,
        questions=len(questions),
        finished=sum(answered[asked.id] == len(variants) for asked in questions),
        answers=sum(each.answer is not None for each in outcomes),
        degraded=sum(bool(each.answer and each.answer.degraded) for each in outcomes),
        untimed=sum(each.untimed for each in outcomes),
        errors=tuple(each.error for each in outcomes if each.error is not None),
    )
