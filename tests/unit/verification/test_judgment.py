"""P(judgment = true) of a checker, and what it does to P(right)."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.drafts import citation, claim, draft
from upheld.errors import LLMUnavailableError, UsageError
from upheld.ports import Token
from upheld.prompts.card import JudgmentWeights, ModelCard, judgment_weights
from upheld.run.trace import start_run
from upheld.types import Draft, Support
from upheld.verification.chain import Chain, Judgment
from upheld.verification.judgment import JoinJudgment, p_true, probability_of_true
from upheld_lab.testing.fake_llm import FakeLLM

BEFORE = (Token('{"correctness": 0.5, "judgment":', 0.0), Token(' "', 0.0))
SCORES = Chain(
    reference_correctness=1.0,
    correctness=1.0,
    citation_accuracy=1.0,
    truthfulness=1.0,
    bias=0.0,
    conciseness=1.0,
    judgment=Judgment.TRUE,
    revised_question="",
).model_dump(mode="json")
GOOD = json.dumps(SCORES)
BAD = json.dumps({**SCORES, "judgment": "false"})
DRAFT = draft(claim("The museum opened in 1881.", Support.SUPPORTED, citation("museum")))
QUOTED = replace(DRAFT, p_right=0.6)
WEIGHTS = JudgmentWeights(p_right=1.0, judgment=0.5, shift=0.0)


def token(text: str, **others: float) -> Token:
    """A token, and the probabilities of all that could stand in its place."""
    chances = tuple((word, math.log(chance)) for word, chance in others.items())
    return Token(text, dict(chances)[text], chances)


async def joined(asked: Draft, checker: FakeLLM, weights: JudgmentWeights = WEIGHTS) -> Draft:
    join = JoinJudgment(checker=checker, weights=weights, grader=None, embedder=None)
    with start_run():
        return await join(asked)


@pytest.mark.parametrize("said", ["true", "false"])
def test_the_probability_is_that_of_true_whatever_was_said(said: str) -> None:
    tokens = (*BEFORE, token(said, true=0.6, false=0.15, un=0.05, maybe=0.2), Token('"', 0.0))
    assert p_true(tokens) == pytest.approx(0.75)


def test_other_words_that_are_judgments_do_not_count() -> None:
    early = token("true", true=1.0)
    assert p_true((early, *BEFORE, token("false", false=1.0))) == 0


def test_without_probabilities_what_was_said_counts() -> None:
    assert p_true((*BEFORE, Token("unclear", -1000.0))) == 0


def test_nothing_to_read_is_undecided() -> None:
    assert p_true((Token("{}", 0.0),)) == 0.5


async def test_the_checker_sees_only_the_passages_that_are_cited() -> None:
    checker = FakeLLM([GOOD])
    with start_run():
        evidence = DRAFT.evidence.passages
        judged = await probability_of_true(checker, DRAFT.question, DRAFT.claims, evidence)
    assert judged == 1.0
    (call,) = checker.calls
    shown = next(each.content for each in call.messages if each.role == "user")
    assert "Cromwell Road" in shown
    assert "blue whale" not in shown


async def test_a_right_answer_becomes_surer_and_a_wrong_one_less_sure() -> None:
    surer, less = [await joined(QUOTED, FakeLLM([said])) for said in (GOOD, BAD)]
    assert (less.p_right or 1) < 0.6 < (surer.p_right or 0)
    assert surer.claims == less.claims == QUOTED.claims


async def test_a_checker_that_fails_changes_nothing_and_is_reported() -> None:
    def fail(*_: object) -> str:
        raise LLMUnavailableError("the server is down")

    join = JoinJudgment(checker=FakeLLM(fail), weights=WEIGHTS, grader=None, embedder=None)
    with start_run() as run:
        assert await join(QUOTED) == QUOTED
    assert any("judgment" in note for note in run.degraded)


async def test_where_nothing_is_known_the_checker_is_not_asked() -> None:
    checker = FakeLLM([GOOD])
    assert (await joined(DRAFT, checker)).p_right is None
    assert (await joined(replace(QUOTED, claims=()), checker)).p_right == 0.6
    assert checker.calls == []


def test_the_first_card_with_weights_has_them(tmp_path: Path) -> None:
    plain = ModelCard(name="planner", base="b", upheld="1", prompts={})
    cards = [plain, plain.model_copy(update={"name": "checker", "judgment": WEIGHTS})]
    for card in cards:
        (tmp_path / card.name).write_text(card.model_dump_json())
    paths = [tmp_path / card.name for card in cards]
    assert judgment_weights(paths) == WEIGHTS
    assert judgment_weights(paths[:1]) is None
    with pytest.raises(UsageError, match="no model card"):
        judgment_weights([tmp_path / "missing.json"])
