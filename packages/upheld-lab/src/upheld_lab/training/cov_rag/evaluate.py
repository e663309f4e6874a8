"""What an arm of CoV-RAG does with questions that it has not seen: it answers, verifies, revises.

A question is answered from passages that are found as in training. The arm then verifies its own
answer, as free text: whether it keeps to JSON is measured, not enforced. With the revised question
the passages are searched for again. Some questions are asked damaged, so that there is something
to revise; they do not count in the accuracy of answers.
"""

from __future__ import annotations

import asyncio
import json
import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError

from upheld._internal.concurrency import all_of
from upheld.errors import LLMError
from upheld.ports import LLM, Message, Sampling
from upheld.prompts import load
from upheld.prompts.prompt import as_written, opening, places
from upheld.run.trace import start_run
from upheld.types import Question
from upheld.verification.chain import Chain, ChainVerify, Direct, Judgment, revision
from upheld.verification.judgment import probability_after
from upheld_lab.bench.metrics import answer_in, paired_interval
from upheld_lab.bench.pack import lot
from upheld_lab.bench.report import Watch
from upheld_lab.bench.split import Split
from upheld_lab.bench.verify.figures import auc
from upheld_lab.training.cov_rag.damage import damage
from upheld_lab.training.cov_rag.data import written_by
from upheld_lab.training.cov_rag.drafts import Shown, Written
from upheld_lab.training.cov_rag.labels import chain_of, citation_accuracy
from upheld_lab.training.sources import GoldQuestion, Source

DAMAGED = 0.25  # of the questions
# Questions, not calls: a verification follows its answer while the server still holds its prompt.
_AT_ONCE = 4


class Check(StrEnum):
    """How an arm is asked to verify its answers: as it was trained to."""

    CHAIN = "chain"
    DIRECT = "direct"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Measured:
    """One question, and what came of it."""

    question: str
    is_damaged: bool
    has_answer: bool
    correct: bool  # a wording of the answer stands in the draft
    citation_f1: float  # F1 of the cited passages against gold
    is_empty: bool
    label: str  # the judgment that is right for the draft
    judgment: str | None  # what the arm said; empty if that was not to be read, None if not asked
    reference: bool  # a gold passage was found
    reference_after: bool  # with the revised question, if there is one
    revised: str = ""
    p_true: float | None = None  # P(judgment = true), of a decoder that is held to the form

    @property
    def is_right(self) -> bool:
        """The draft is right in everything."""
        return self.label == Judgment.TRUE


async def measure(
    source: Source,
    llm: LLM,
    out: Path,
    watch: Watch,
    *,
    split: Split,
    count: int,
    passages: int,
    check: Check = Check.CHAIN,
) -> list[Measured]:
    """Measure so many questions, one line each in `out`; those that are there are not repeated."""
    done = {each.question: each for each in read_measured(out)}
    asked = (await source.questions((split,)))[:count]
    room = asyncio.Semaphore(_AT_ONCE)

    async def one(question: GoldQuestion) -> None:
        async with room:
            found = await _measured(source, llm, question, passages, check)
        done[question.id] = found
        with out.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(asdict(found), ensure_ascii=False) + "\n")
        watch(f"questions of {split}", len(done), len(asked))

    await all_of(one(each) for each in asked if each.id not in done)
    return [done[each.id] for each in asked]


def read_measured(path: Path) -> Iterator[Measured]:
    """Read what `measure` wrote; nothing if it has not begun."""
    if not path.exists():
        return
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield Measured(**json.loads(line))


async def _measured(
    source: Source, llm: LLM, question: GoldQuestion, limit: int, check: Check
) -> Measured:
    shown = await _shown(source, question, question.text, limit)
    if shown.gold and lot("damaged", question.id) < DAMAGED:
        dice = random.Random(question.id)  # noqa: S311  (a measurement, no secret)
        worse = await _shown(source, question, damage(question.text, dice), limit)
        shown = shown if worse.gold else worse
    made = await written_by(llm, shown) or Written(shown, (), "failed")
    judgment, revised, p_true = None, "", None
    if check is not Check.NONE:
        judgment, revised = await _verified(llm, made, chain=check is Check.CHAIN)
    if check is Check.CHAIN:
        p_true = await _p_true(llm, made)
    after = await _shown(source, question, revised, limit) if revised else shown
    return Measured(
        question=question.id,
        is_damaged=shown.text != question.text,
        has_answer=bool(question.answers),
        correct=answer_in(made.text, question.answers),
        citation_f1=citation_accuracy(made),
        is_empty=not made.claims,
        label=chain_of(made).judgment.value,
        judgment=judgment,
        reference=bool(shown.gold),
        reference_after=bool(after.gold),
        revised=revised,
        p_true=p_true,
    )


async def _shown(source: Source, question: GoldQuestion, query: str, limit: int) -> Shown:
    (found,) = await source.search([query], question.split, limit)
    return Shown(question, query, found)


async def _verified(llm: LLM, made: Written, *, chain: bool) -> tuple[str, str]:
    """The judgment and the revised question, both empty if the reply is not what was asked for."""
    sampling = Sampling(max_tokens=ChainVerify.max_tokens)
    try:
        with start_run():
            pieces = [each async for each in llm.stream(_asked(made, chain=chain), sampling)]
        text, asked = "".join(pieces), Question(made.shown.text)
        if chain:
            scores = Chain.model_validate_json(text)
            return scores.judgment.value, revision(scores.revised_question, asked)
        revised = revision(Direct.model_validate_json(text).revised_question, asked)
    except (LLMError, ValidationError):
        return "", ""
    return (Judgment.FALSE if revised else Judgment.TRUE).value, revised


async def _p_true(llm: LLM, made: Written) -> float:
    """P(judgment = true) of the draft; a half if the model fails."""
    with start_run():
        try:
            return await probability_after(_asked(made, chain=True), llm)
        except LLMError:
            return 0.5


def _asked(made: Written, *, chain: bool) -> tuple[Message, ...]:
    draft = made.draft
    turn = load("chain_verify" if chain else "direct_revise")
    return (
        *opening(load("write"), draft),
        *turn.render(answer=as_written(draft, places(draft))),
    )


def summary(rows: Sequence[Measured]) -> dict[str, float]:
    """The figures of an arm; those of its verification if it was asked to verify.

    What no question shows is left out: no right draft, no balanced accuracy.
    """
    plain = [each for each in rows if not each.is_damaged]
    asked = [each for each in plain if each.has_answer]
    damaged = [each for each in rows if each.is_damaged]
    figures = {
        "questions": len(rows),
        "correct": _mean(each.correct for each in asked),
        "citation_f1": _mean(each.citation_f1 for each in asked),
        "empty": _mean(each.is_empty for each in rows),
        "empty_where_no_answer": _mean(each.is_empty for each in plain if not each.has_answer),
        "drafts_right": _mean(each.is_right for each in rows),
        "reference_before": _mean(each.reference for each in rows),
    }
    if any(each.judgment is not None for each in rows):
        figures |= {
            "judgment_balanced_accuracy": balanced_accuracy(rows),
            "balanced_accuracy_of_empty": balanced_accuracy(
                [replace(each, judgment="false" if each.is_empty else "true") for each in rows]
            ),
            "valid_json": _mean(bool(each.judgment) for each in rows),
            "reference_after": _mean(each.reference_after for each in rows),
            "damaged_reference_after": _mean(each.reference_after for each in damaged),
        }
    return {name: value for name, value in figures.items() if not math.isnan(value)}


def balanced_accuracy(rows: Sequence[Measured]) -> float:
    """Of right drafts and of others, the mean share that is judged so; unreadable is wrong."""
    shares = []
    for is_right in (True, False):
        of_kind = [each for each in rows if each.is_right is is_right]
        shares.append(
            _mean(
                bool(each.judgment) and (each.judgment == Judgment.TRUE) is is_right
                for each in of_kind
            )
        )
    return float(np.mean(shares))


def by_threshold(dev: Iterable[Measured], test: Iterable[Measured]) -> dict[str, float]:
    """How well P(judgment = true) tells right drafts, above a threshold that is chosen on dev.

    Half of the drafts of training are right, and fewer of those that a model writes: the more
    probable judgment need not be the better one.
    """
    chosen, told = (
        [(each.p_true, each) for each in rows if each.p_true is not None] for rows in (dev, test)
    )
    if any({each.is_right for _, each in side} != {True, False} for side in (chosen, told)):
        raise ValueError("both sides need drafts with P(judgment = true), right ones and others")

    def judged(rows: Sequence[tuple[float, Measured]], least: float) -> float:
        return balanced_accuracy(
            [
                replace(each, judgment=(Judgment.TRUE if p >= least else Judgment.FALSE).value)
                for p, each in rows
            ]
        )

    levels = sorted({p for p, _ in chosen})
    least = max(levels, key=lambda level: judged(chosen, level))
    return {
        "dev": len(chosen),
        "test": len(told),
        "threshold": least,
        "balanced_accuracy_on_dev": judged(chosen, least),
        "balanced_accuracy": judged(told, least),
        "auc": auc([p for p, _ in told], [each.is_right for _, each in told]),
    }


def differences(ours: Iterable[Measured], theirs: Iterable[Measured]) -> dict[str, Any]:
    """Paired differences on the questions that both answered, with 95 % intervals."""
    other = {each.question: each for each in theirs}
    pairs = [(each, other[each.question]) for each in ours if each.question in other]
    asked = [pair for pair in pairs if not pair[0].is_damaged and pair[0].has_answer]
    if not asked:
        raise ValueError("no question with an answer is in both")
    measures: Mapping[str, list[tuple[float, float]]] = {
        "correct": [(one.correct, two.correct) for one, two in asked],
        "citation_f1": [(one.citation_f1, two.citation_f1) for one, two in asked],
        "reference_after": [(one.reference_after, two.reference_after) for one, two in pairs],
        "reference_after_less_before": [(one.reference_after, one.reference) for one, _ in pairs],
    }
    return {
        name: asdict(paired_interval({"": one}, {"": two}))
        for name, (one, two) in ((key, zip(*rows, strict=True)) for key, rows in measures.items())
    }


def _mean(values: Iterator[bool] | Iterator[float]) -> float:
    found = list(values)
    return float(np.mean(found)) if found else float("nan")
