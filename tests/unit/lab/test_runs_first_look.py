"""What a run keeps of a chain of verification: the first answer, and what came of looking at it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import BaseModel

from tests.unit.lab.test_runs_run import (
    JUDGES,
    QUESTIONS,
    parts_with,
    plan_for,
    run,
    said,
    scores_of,
    unseen,
)
from upheld.errors import LLMOutputError, LLMRejectedError
from upheld.generation.write import Claims
from upheld.ports import Message
from upheld.prompts.card import JudgmentWeights
from upheld.verification.chain import Chain, Judgment
from upheld_lab.bench.runs.records import Outcome
from upheld_lab.bench.runs.run import run_on
from upheld_lab.bench.runs.store import RunFolder
from upheld_lab.bench.suites.suite import Suite
from upheld_lab.testing.fake_llm import FakeLLM, Line, Script

MUSEUM = Suite("own", QUESTIONS[1:2], (), {"own.jsonl": "hash"})
ANEW = "Who built the lighthouse of Harrow?"
FIRST, SECOND = "It is free.", "Agnes Tolliver opened it in 1881."


def chain(judgment: str, revised: str = "") -> dict[str, object]:
    shares = dict.fromkeys(Chain.model_fields, 0.2)
    return {**shares, "judgment": judgment, "revised_question": revised}


def script(*verified: Line) -> Script:
    """Two answers, and what the chain says of each."""
    wrote = [{"claims": [{"sources": [1], "text": text}]} for text in (FIRST, SECOND)]
    left: dict[type[BaseModel], list[Line]] = {Claims: [*wrote], Chain: [*verified]}

    def say(messages: Sequence[Message], output: type[BaseModel] | None) -> Line:
        assert output is not None
        return next(lines.pop(0) for kind, lines in left.items() if issubclass(output, kind))

    return say


async def outcome_of(folder: Path, method: str, told: Script) -> tuple[RunFolder, Outcome]:
    made, _ = await run(plan_for(folder, method, suite=MUSEUM), told)
    (outcome,) = made.outcomes()
    return made, outcome


async def test_the_first_answer_is_kept_with_its_references_and_what_the_new_question_finds(
    tmp_path: Path,
) -> None:
    told = script(chain("false", ANEW), chain("true"))
    folder, outcome = await outcome_of(tmp_path / "run", "cov_rag:passages=1", told)
    assert outcome.answer is not None
    assert outcome.answer.claims[0].text == SECOND  # the better one is the answer
    verified = outcome.verified
    assert verified is not None
    assert (verified.judgment, verified.answer) == (Judgment.FALSE, FIRST)
    assert verified.revised == ANEW
    assert [each.id for each in verified.references] == ["museum"]
    assert [each.id for each in verified.found] == ["light"]
    scores = scores_of(folder)["q/2", "cov_rag:passages=1"]
    assert scores["correct"] == 1  # of the second answer; the chain's figures are of the first:
    assert scores["chain_judgement"] == 1  # it was wrong, and called so
    assert scores["chain_revision"] == 0  # but its passage has the year: nothing to ask anew for
    assert scores["chain_reference_delta"] == -1  # what was found instead has not


async def test_a_question_that_stays_as_it_is(tmp_path: Path) -> None:
    folder, outcome = await outcome_of(tmp_path / "run", "cov_rag", script(chain("true")))
    verified = outcome.verified
    assert verified is not None
    assert (verified.judgment, verified.revised, verified.found) == (Judgment.TRUE, "", ())
    assert scores_of(folder)["q/2", "cov_rag"]["chain_reference_delta"] == 0


async def test_a_revision_that_the_method_did_not_act_on_is_none(tmp_path: Path) -> None:
    told = script({**chain("true", ANEW), "truthfulness": 1.0, "bias": 0.0})
    _, outcome = await outcome_of(tmp_path / "run", "cov_rag:sigma=all", told)
    assert outcome.verified is not None
    assert outcome.verified.revised == ""


@pytest.mark.parametrize(
    ("error", "format"), [(LLMOutputError("cut off"), 0.0), (LLMRejectedError("too long"), None)]
)
async def test_a_reply_without_the_format_is_told_from_no_reply(
    tmp_path: Path, error: Line, format: float | None
) -> None:
    suite = Suite("own", (QUESTIONS[0], QUESTIONS[1]), (), {"own.jsonl": "hash"})
    folder, _ = await run(
        plan_for(tmp_path / "run", "cov_rag", suite=suite), script(chain("true"), error)
    )
    assert scores_of(folder)["q/2", "cov_rag"]["chain_format"] == format


async def test_methods_without_a_chain_keep_nothing(tmp_path: Path) -> None:
    folder, _ = await run(plan_for(tmp_path / "run", "rag", suite=MUSEUM), said)
    assert [each.verified for each in folder.outcomes()] == [None]
    assert scores_of(folder)["q/2", "rag"]["chain_format"] is None


async def test_a_checker_that_only_tells_a_probability_is_no_chain_of_verification(
    tmp_path: Path,
) -> None:
    checker = FakeLLM(said)
    parts, _ = await parts_with(None)
    weights = JudgmentWeights(p_right=1.0, judgment=1.0, shift=0.0)
    folder = await run_on(
        plan_for(tmp_path / "run", "upheld", suite=MUSEUM),
        replace(parts, checker=checker, judgment=weights),
        JUDGES,
        unseen,
    )
    assert checker.calls
    assert [each.verified for each in folder.outcomes()] == [None]
