"""Trained language models are measured on questions that they have not seen, and compared."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from pydantic import BaseModel
from typer.testing import CliRunner

from tests.unit.fake_kb import kb
from tests.unit.lab.lighthouses import NAMES, Lighthouses, built
from upheld.errors import LLMUnavailableError, UsageError
from upheld.ports import LLM, Message
from upheld.resources.open import Resources
from upheld.settings import load_settings
from upheld.verification.chain import Chain
from upheld_lab.bench.split import Split
from upheld_lab.cli.train import app
from upheld_lab.cli.train_sources import planned_of
from upheld_lab.testing.fake_llm import FakeLLM, Line, Script
from upheld_lab.training.cov_rag.evaluate import (
    Check,
    Measured,
    balanced_accuracy,
    by_threshold,
    differences,
    measure,
    read_measured,
    summary,
)
from upheld_lab.training.fave import evaluate as planners
from upheld_lab.training.fave.decompositions import PlannedQuestion
from upheld_lab.training.served import NotServedError, Served

GOOD = dict.fromkeys(
    ("reference_correctness", "correctness", "citation_accuracy", "truthfulness", "conciseness"),
    1.0,
)


def ignore(_: str, __: int, ___: int) -> None:
    """Nobody watches."""


def knows_years(messages: Sequence[Message], output: type[BaseModel] | None) -> Line:
    """A model that answers "when", and revises what it cannot answer."""
    asked = messages[1].content.rpartition("Question: ")[2]
    name = next((each for each in asked.split() if each in NAMES), "")
    is_known = asked.startswith("When was the") and bool(name)
    if output is not None and output is not Chain:
        text = f"The lighthouse of {name} was built in {built(name)}." if is_known else ""
        return {"claims": [{"sources": [1], "text": text}] if is_known else []}
    revised = "" if is_known else "When was the lighthouse built?"
    judgment = "true" if is_known else "false"
    return {**GOOD, "bias": 0.0, "judgment": judgment, "revised_question": revised}


async def measured(tmp_path: Path, llm: LLM, count: int = 40) -> list[Measured]:
    return await measure(
        Lighthouses(), llm, tmp_path / "rows.jsonl", ignore, split=Split.TRAIN, count=count,
        passages=2,
    )  # fmt: skip


async def test_answers_judgments_and_revisions_are_measured(tmp_path: Path) -> None:
    rows = await measured(tmp_path, FakeLLM(knows_years))
    when = [each for each in rows if each.question.endswith("/when") and not each.is_damaged]
    assert when
    assert all(each.correct and each.citation_f1 > 0 and each.judgment == "true" for each in when)
    who = [each for each in rows if each.question.endswith("/who")]
    assert not any(each.correct for each in who)
    assert {each.label for each in who} <= {"false", "unclear"}
    found = summary(rows)
    assert found["valid_json"] == 1
    assert 0 < found["correct"] < 1
    assert found["judgment_balanced_accuracy"] > 0.9
    assert any(each.is_damaged for each in rows)


async def test_a_threshold_of_dev_tells_right_drafts_of_test(tmp_path: Path) -> None:
    rows = await measured(tmp_path, FakeLLM(knows_years))
    assert {each.p_true for each in rows if each.judgment == "true"} == {1.0}
    assert by_threshold(rows, rows)["auc"] > 0.9


def test_the_threshold_is_the_one_that_dev_needs() -> None:
    dev = [row("a", p_true=0.3), row("b", p_true=0.2, label="false")]
    test = [row("c", p_true=0.31), row("d", p_true=0.29, label="false"), row("e", p_true=0.1)]
    found = by_threshold(dev, test)
    assert found["threshold"] == 0.3
    assert found["balanced_accuracy_on_dev"] == 1
    assert found["balanced_accuracy"] == 0.75
    assert found["auc"] == 0.5
    for one_sided in (row("f"), row("g", p_true=0.4)):
        with pytest.raises(ValueError, match="both sides"):
            by_threshold(dev, [one_sided])


async def test_an_arm_that_only_answers_is_not_asked_to_verify(tmp_path: Path) -> None:
    llm = FakeLLM(knows_years)
    rows = await measure(
        Lighthouses(), llm, tmp_path / "rows.jsonl", ignore, split=Split.TRAIN, count=20,
        passages=2, check=Check.NONE,
    )  # fmt: skip
    assert {each.judgment for each in rows} == {None}
    assert summary(rows)["correct"] > 0
    assert "valid_json" not in summary(rows)
    assert {*read_measured(tmp_path / "rows.jsonl")} == {*rows}


def test_what_no_question_shows_is_left_out_of_the_figures() -> None:
    found = summary([row("a", label="false"), row("b", label="unclear")])
    assert "judgment_balanced_accuracy" not in found
    assert found["valid_json"] == 1


async def test_what_was_measured_is_not_measured_again(tmp_path: Path) -> None:
    first = await measured(tmp_path, FakeLLM(knows_years), count=5)
    again = FakeLLM(knows_years)
    rows = await measured(tmp_path, again, count=8)
    assert rows[:5] == first
    assert len({each.messages[1].content for each in again.calls}) == 3
    assert list(read_measured(tmp_path / "rows.jsonl")) == rows


async def test_a_verification_that_is_not_json_is_no_judgment(tmp_path: Path) -> None:
    def rambles(messages: Sequence[Message], output: type[BaseModel] | None) -> Line:
        return "It is right." if output is None else knows_years(messages, output)

    rows = await measured(tmp_path, FakeLLM(rambles), count=6)
    assert summary(rows)["valid_json"] == 0
    assert balanced_accuracy(rows) == 0


def row(question: str, **other: object) -> Measured:
    usual = Measured(
        question, is_damaged=False, has_answer=True, correct=True, citation_f1=1.0, is_empty=False,
        label="true", judgment="true", reference=True, reference_after=True,
    )  # fmt: skip
    return replace(usual, **other)  # type: ignore[arg-type]


def test_who_always_says_true_is_right_half_of_the_time() -> None:
    assert balanced_accuracy([row("a"), row("b"), row("c", label="false")]) == 0.5


def test_differences_are_on_the_same_questions() -> None:
    ours = [row(str(number)) for number in range(30)]
    theirs = [row(str(number), correct=number % 2 == 0) for number in range(10, 40)]
    found = differences(ours, theirs)
    assert found["correct"]["mean"] == 0.5
    assert 0 < found["correct"]["low"] < 0.5 < found["correct"]["high"]
    with pytest.raises(ValueError, match="in both"):
        differences(ours, [row("elsewhere")])


async def test_a_planner_is_measured_by_the_gold_that_it_finds(tmp_path: Path) -> None:
    opened = await kb(tmp_path, lambda *_: {"questions": ["How long does the crossing take?"]})
    found = await opened.search("crossing")
    gold = frozenset({found[0].passage.id, "elsewhere"})
    asked = [PlannedQuestion("q", "How long?", "ferry", (), gold, Split.DEV)]
    out = tmp_path / "rows.jsonl"
    rows = await planners.measure(asked, opened._parts, out, ignore)
    assert planners.summary(rows)["gold_recall"] == 0.5
    assert list(planners.read_recalled(out)) == rows
    assert await planners.measure(asked, opened._parts, out, ignore) == rows
    assert len(out.read_text().splitlines()) == 1
    await opened.close()


def is_down(*_: object) -> Line:
    return LLMUnavailableError("nobody listens")


def is_down_for_streams(messages: Sequence[Message], output: type[BaseModel] | None) -> Line:
    return is_down() if output is None else knows_years(messages, output)


@pytest.mark.parametrize("script", [is_down, is_down_for_streams])
async def test_an_outage_is_no_answer_of_a_checker(tmp_path: Path, script: Script) -> None:
    with pytest.raises(NotServedError, match="nobody listens"):
        await measured(tmp_path, Served(FakeLLM(script)), count=5)
    assert not list(read_measured(tmp_path / "rows.jsonl"))
    assert len(await measured(tmp_path, Served(FakeLLM(knows_years)), count=5)) == 5


async def test_an_outage_is_no_session_of_a_planner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the model that is named plans, not the planner of the settings."""
    opened = await kb(tmp_path, is_down)
    another = FakeLLM(lambda *_: {"questions": ["How long does the crossing take?"]})

    async def fake(_: object) -> Resources:
        return replace(opened._parts, planner=another)

    monkeypatch.setattr("upheld.resources.open.open_resources", fake)
    own = tmp_path / "own.jsonl"
    own.write_text('{"question": "How long is it?", "answerable": false}')
    asked = [PlannedQuestion("q", "How long?", "ferry", (), frozenset({"1"}), Split.DEV)]
    async with planned_of(None, own, load_settings(), ignore) as (_, parts):
        with pytest.raises(NotServedError, match="nobody listens"):
            await planners.measure(asked, parts, tmp_path / "rows.jsonl", ignore)
    assert not (tmp_path / "rows.jsonl").exists()
    assert not another.calls


def test_the_command_line_compares_lines_of_either_kind(tmp_path: Path) -> None:
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    for path, recall in ((one, 0.5), (other, 0.25)):
        rows = [{"question": str(n), "sessions": 8, "recall": recall} for n in range(5)]
        path.write_text("\n".join(map(json.dumps, rows)))
    found = CliRunner().invoke(app, ["evaluate", "compare", str(one), str(other)])
    assert json.loads(found.stdout)["gold_recall"]["mean"] == 0.25
    failed = CliRunner().invoke(app, ["evaluate", "compare", str(one), str(tmp_path / "none")])
    assert isinstance(failed.exception, UsageError)


def test_the_command_line_chooses_a_threshold(tmp_path: Path) -> None:
    lines = [row("a", p_true=0.9), row("b", p_true=0.2, label="false")]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(asdict(each)) + "\n" for each in lines))
    found = CliRunner().invoke(app, ["evaluate", "judgments", str(path), str(path)])
    assert json.loads(found.output)["balanced_accuracy"] == 1
    path.write_text(json.dumps(asdict(row("a"))))
    failed = CliRunner().invoke(app, ["evaluate", "judgments", str(path), str(path)])
    assert isinstance(failed.exception, UsageError)
