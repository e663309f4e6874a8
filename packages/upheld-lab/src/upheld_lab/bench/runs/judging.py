"""A language model judges a run that is kept: all answers to a question side by side, a line each.

A reply that cannot be used is kept as a failure, so that it is counted and not asked for again: a
model that decodes without chance would fail in the same way. A server that is gone ends it all.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from upheld.errors import LLMOutputError, LLMRejectedError, UsageError
from upheld_lab.bench.report import Watch
from upheld_lab.bench.runs.records import Judged, Outcome
from upheld_lab.bench.runs.store import RunFolder
from upheld_lab.bench.scores.all_scores import answer_of
from upheld_lab.bench.scores.judge import Judge, Revision
from upheld_lab.bench.suites.suite import Asked


@dataclass(frozen=True, slots=True)
class Judgements:
    """How far a judge has come with a run."""

    run: str
    judge: str
    questions: int  # that all variants have answered
    judged: int
    failed: int
    errors: tuple[str, ...]  # one for each that failed

    @property
    def complete(self) -> bool:
        return self.judged + self.failed == self.questions


async def judge_run(
    folder: RunFolder, judge: Judge, name: str, watch: Watch, hours: float | None = None
) -> Judgements:
    """Judge what has not been judged yet, and begin no question after so many hours."""
    answered = _answered(folder)
    folder.cut_torn_judgement()
    kept = {each.question: each for each in folder.judged()}
    _same_judge(folder, kept, name)
    began = time.monotonic()
    for asked, outcomes in answered:
        watch("questions", len(kept), len(answered))
        if hours is not None and (time.monotonic() - began) / 3600 >= hours:
            break
        if asked.id not in kept:
            judged = await _judged(judge, name, asked, outcomes, first=not kept)
            folder.add_judged(judged)
            kept[asked.id] = judged
    watch("questions", len(kept), len(answered))
    errors = tuple(each.error for each in kept.values() if each.error is not None)
    failed = len(errors)
    return Judgements(str(folder.path), name, len(answered), len(kept) - failed, failed, errors)


def right_wordings(asked: Asked) -> tuple[str, ...]:
    """What a judge is told to be right; nothing where nobody noted it."""
    if asked.answerable is False:
        return ("The sources do not answer this question: it is right to say so.",)
    if asked.gold_text is not None:
        return (asked.gold_text.reference,)
    if asked.yes is not None:
        return ("yes" if asked.yes else "no",)
    if asked.answers or not asked.parts:
        return asked.answers
    return ("; ".join(part[0] for part in asked.parts if part),)  # all are wanted


async def _judged(
    judge: Judge, name: str, asked: Asked, outcomes: Mapping[str, Outcome], *, first: bool
) -> Judged:
    answers = {variant: answer_of(asked, outcome) for variant, outcome in outcomes.items()}
    try:
        qualities = await judge.qualities(asked.text, right_wordings(asked), answers)
        revisions = {
            variant: await judge.is_good_revision(revision)
            for variant, outcome in outcomes.items()
            if (revision := _revision(asked, outcome)) is not None
        }
    except (LLMOutputError, LLMRejectedError) as error:
        if first and isinstance(error, LLMRejectedError):
            raise  # a wrong name or key; a later refusal may be of a long prompt
        return Judged(asked.id, name, None, f"{type(error).__name__}: {error.args[0]}")
    return Judged(asked.id, name, qualities, good_revisions=revisions)


def _revision(asked: Asked, outcome: Outcome) -> Revision | None:
    """The question that a chain of verification asked instead, if it did."""
    seen = outcome.verified
    if seen is None or not seen.revised:
        return None
    right = right_wordings(asked)
    return Revision(asked.text, right, seen.references, seen.answer, seen.revised)


def _answered(folder: RunFolder) -> list[tuple[Asked, dict[str, Outcome]]]:
    """The questions that all variants have answered, each with what came of it, by variant."""
    variants = folder.manifest()["variants"]
    outcomes = {(each.question, each.variant): each for each in folder.outcomes()}
    answered = [
        (asked, {variant: outcomes[asked.id, variant] for variant in variants})
        for asked in folder.questions()
        if all((asked.id, variant) in outcomes for variant in variants)
    ]
    if not answered:
        raise UsageError(
            f"No question of {folder.path} has been answered by all of its variants.",
            help="Go on with `upheld bench run` first.",
        )
    return answered


def _same_judge(folder: RunFolder, kept: Mapping[str, Judged], name: str) -> None:
    """Places given by two judges do not compare."""
    others = {each.judge for each in kept.values()} - {name}
    if others:
        raise UsageError(
            f"{folder.path} has been judged by {', '.join(sorted(others))}, not by {name}.",
            help=f"Name that model again, or move {folder.judgements} away to begin anew.",
        )
