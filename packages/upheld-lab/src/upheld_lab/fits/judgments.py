"""What a checker's P(judgment = true) adds to P(right), over answers of a run.

The checker (CoV-RAG) verifies each answer as it would a draft. Its probability is read from the
token with which the judgment begins, and joined with P(right) by a logistic fit whose figures are
of numbers that were fitted without the answer.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import numpy as np

from upheld._internal.concurrency import all_of
from upheld._internal.probability import GRADE_BOUND, logit
from upheld.errors import LLMError, UsageError
from upheld.ports import LLM, Sampling, Token
from upheld.prompts import load
from upheld.prompts.prompt import as_written, opening, places
from upheld.types import Answer, Draft, Evidence, Hit, Question
from upheld.verification.chain import Chain, ChainVerify, Judgment
from upheld_lab.bench.logistic import logistic
from upheld_lab.bench.manifest import manifest
from upheld_lab.bench.report import Report, Row, Watch
from upheld_lab.bench.runs.store import RunFolder
from upheld_lab.bench.verify.figures import auc

PARTS, ALTERNATIVES, AT_ONCE = 5, 10, 4
_BEFORE = '"judgment":'


@dataclass(frozen=True, slots=True)
class Told:
    """What is known of an answer, and whether it is right."""

    p_right: float
    p_true: float
    right: bool


async def fit_judgments(
    folders: Sequence[Path], variant: str, checker: LLM, watch: Watch
) -> Report:
    """Let a checker verify the answers of a variant in these runs, and compare."""
    told = [each for path in folders for each in await _told(path, variant, checker, watch)]
    if len({each.right for each in told}) < 2:
        raise UsageError(f"There must be right and wrong answers of {variant} in these runs.")
    right = [each.right for each in told]
    probabilities = {
        "P(right)": [each.p_right for each in told],
        "P(judgment = true)": [each.p_true for each in told],
        "both": joined(told),
    }
    rows: list[Row] = [{"by": name, "auc": auc(by, right)} for name, by in probabilities.items()]
    facts = manifest(checker=checker.identity, answers=len(told), right=sum(right))
    return Report("judgments", {}, tuple(rows), facts)


def joined(told: Sequence[Told]) -> list[float]:
    """The log odds of both, by numbers that were fitted on the other answers."""
    x = np.array([[logit(each, GRADE_BOUND) for each in (t.p_right, t.p_true)] for t in told])
    y = np.array([each.right for each in told], float)
    part = np.arange(len(told)) % PARTS
    found = np.zeros(len(told))
    for out in range(PARTS):
        weights, shift = logistic(x[part != out], y[part != out])
        found[part == out] = x[part == out] @ np.array(weights) + shift
    return found.tolist()


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
            said = await probability(checker, answer)
        watch("verifying answers", next(done), len(answers))
        assert answer.p_right is not None, "others were left out"
        return Told(answer.p_right, said, right)

    return await all_of(one(*each) for each in answers)


async def probability(checker: LLM, answer: Answer) -> float:
    """P(judgment = true) of an answer; a half if the checker fails."""
    evidence = Evidence(tuple(Hit(each, 0.0, answer.question) for each in answer.sources))
    draft = Draft(Question(answer.question), answer.claims, evidence)
    turn = load("chain_verify").render(answer=as_written(draft, places(draft)))
    sampling = Sampling(max_tokens=ChainVerify.max_tokens, logprobs=ALTERNATIVES)
    try:
        reply = await checker.generate((*opening(load("write"), draft), *turn), Chain, sampling)
    except LLMError:
        return 0.5
    return p_true(reply.generations[0].tokens)


def p_true(tokens: Sequence[Token]) -> float:
    """P("true") over all judgments, from the first token in which they differ."""
    said = ""
    for token in tokens:
        if _BEFORE in said and (word := _begins(token.text)):
            weight = dict.fromkeys(Judgment, 0.0)
            for text, logprob in {**dict(token.alternatives), token.text: token.logprob}.items():
                if alternative := _begins(text):
                    weight[alternative] += math.exp(logprob)
            whole = sum(weight.values())
            return weight[Judgment.TRUE] / whole if whole else float(word is Judgment.TRUE)
        said += token.text
    return 0.5


def _begins(text: str) -> Judgment | None:
    letters = text.strip(" \t\n\"'[],:").casefold()
    return next((each for each in Judgment if letters and each.value.startswith(letters)), None)
