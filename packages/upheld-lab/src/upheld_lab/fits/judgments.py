"""What a checker's P(judgment = true) adds to P(right), over answers of a run.

The checker (CoV-RAG) verifies each answer, and what it says is joined with P(right) by a logistic
fit. The figures are of numbers that were fitted without the answer; the weights are of all answers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import numpy as np

from upheld._internal.concurrency import all_of
from upheld._internal.probability import grade_logit
from upheld.errors import LLMError, UsageError
from upheld.ports import LLM
from upheld.prompts.card import JudgmentWeights, read_card
from upheld.run.trace import start_run
from upheld.types import Answer, Question
from upheld.verification.judgment import probability_of_true
from upheld_lab.bench.logistic import logistic
from upheld_lab.bench.manifest import manifest
from upheld_lab.bench.report import Report, Row, Watch
from upheld_lab.bench.runs.store import RunFolder
from upheld_lab.bench.verify.figures import auc

PARTS, AT_ONCE = 5, 4


@dataclass(frozen=True, slots=True)
class Told:
    """What is known of an answer, and whether it is right."""

    p_right: float
    p_true: float
    right: bool


async def fit_judgments(
    folders: Sequence[Path], variant: str, checker: LLM, watch: Watch, card: Path | None = None
) -> Report:
    """Let a checker verify the answers of a variant in these runs, and compare."""
    told = [each for path in folders for each in await _told(path, variant, checker, watch)]
    if len({each.right for each in told}) < 2:
        raise UsageError(f"There must be right and wrong answers of {variant} in these runs.")
    return compare(told, checker.identity, card)


def compare(told: Sequence[Told], checker: str, card: Path | None = None) -> Report:
    """Report what tells right answers best.

    The weights of both are noted on the checker's card if both are better than P(right) alone: a
    checker that knows nothing would make wrong answers sure.
    """
    right = [each.right for each in told]
    tells = {
        "P(right)": auc([each.p_right for each in told], right),
        "P(judgment = true)": auc([each.p_true for each in told], right),
        "both": auc(joined(told), right),
    }
    fitted = weights(told)
    is_better = tells["both"] > tells["P(right)"]
    if card is not None:
        _note(fitted if is_better else None, card)
    rows: list[Row] = [{"by": name, "auc": value} for name, value in tells.items()]
    facts = manifest(
        checker=checker,
        answers=len(told),
        right=sum(right),
        weights=fitted.model_dump(),
        noted=is_better and card is not None,
    )
    return Report("judgments", {}, tuple(rows), facts)


def joined(told: Sequence[Told]) -> list[float]:
    """P(right) of both, by weights that were fitted on the other answers."""
    found = [0.0] * len(told)
    for part in range(PARTS):
        fitted = weights([each for place, each in enumerate(told) if place % PARTS != part])
        for place in range(part, len(told), PARTS):
            found[place] = fitted.joined(told[place].p_right, told[place].p_true)
    return found


def weights(told: Sequence[Told]) -> JudgmentWeights:
    """How both are joined, by a logistic fit."""
    both = np.array([[grade_logit(each.p_right), grade_logit(each.p_true)] for each in told])
    (p_right, judgment), shift = logistic(both, np.array([each.right for each in told], float))
    return JudgmentWeights(p_right=p_right, judgment=judgment, shift=shift)


async def _told(path: Path, variant: str, checker: LLM, watch: Watch) -> list[Told]:
    run = RunFolder(path)
    run.manifest()  # a folder without a run is refused
    wrong = {
        each.question: each.scores.get("wrong_if_shown")
        for each in run.scored()
        if each.variant == variant
    }
    answers = [
        (each.answer, wrong.get(each.question) == 0)
        for each in run.outcomes()
        if each.variant == variant
        and each.answer is not None
        and each.answer.p_right is not None
        and wrong.get(each.question) is not None
    ]
    room, done = asyncio.Semaphore(AT_ONCE), count(1)

    async def one(answer: Answer, right: bool) -> Told:
        async with room:
            said = await _probability(checker, answer)
        watch("verifying answers", next(done), len(answers))
        assert answer.p_right is not None, "others were left out"
        return Told(answer.p_right, said, right)

    return await all_of(one(*each) for each in answers)


def _note(fitted: JudgmentWeights | None, card: Path) -> None:
    known = read_card(card).model_copy(update={"judgment": fitted})
    card.write_text(known.model_dump_json(indent=1) + "\n", encoding="utf-8")


async def _probability(checker: LLM, answer: Answer) -> float:
    """P(judgment = true) of an answer; a half if the checker fails."""
    with start_run():
        try:
            return await probability_of_true(
                checker, Question(answer.question), answer.claims, answer.sources
            )
        except LLMError:
            return 0.5
