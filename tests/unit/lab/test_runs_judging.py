"""A judge of a run: asked once a question, kept as it comes, and a failure is never a score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from tests.unit.page_run import questions, run
from upheld.errors import LLMOutputError, LLMRejectedError, LLMUnavailableError, UsageError
from upheld_lab.bench.runs.judging import Judgements, judge_run, right_wordings
from upheld_lab.bench.runs.records import Outcome, Verified
from upheld_lab.bench.runs.store import RunFolder
from upheld_lab.bench.scores.chain import Quality
from upheld_lab.bench.scores.judge import Judge
from upheld_lab.bench.suites.suite import Asked
from upheld_lab.testing.fake_llm import FakeLLM, Line

GOOD, BAD = Quality(1, 1, 1, 0, 1), Quality(0.2, 0, 0.5, 0.9, 0.4)
BOTH: Line = {"answers": [asdict(GOOD), asdict(BAD)]}
VARIANTS = ("rag", "upheld")


def folder_of(path: Path, count: int = 3) -> RunFolder:
    """Both variants have answered all questions but the last, and rag that too."""
    made = run(questions(count), {name: [{}] * count for name in VARIANTS})
    folder = RunFolder(path)
    folder.keep_facts(made.manifest, made.questions)
    for each in made.outcomes:
        if (each.question, each.variant) != (made.questions[-1].id, "upheld"):
            folder.add_outcome(each)
    return folder


def unseen(what: str, done: int, total: int) -> None:
    """Nobody watches."""


async def judged(
    folder: RunFolder, lines: Sequence[Line], name: str = "qwen", hours: float | None = None
) -> tuple[Judgements, FakeLLM]:
    llm = FakeLLM(lines)
    return await judge_run(folder, Judge(llm=llm), name, unseen, hours), llm


async def test_all_answers_to_a_question_are_judged_in_one_call(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    made, llm = await judged(folder, [BOTH, BOTH])
    assert len(llm.calls) == 2  # the third question has not been answered by all
    assert (made.judge, made.questions, made.judged, made.failed) == ("qwen", 2, 2, 0)
    assert made.complete
    for line, id in zip(folder.judged(), ("short/0", "short/1"), strict=True):
        assert (line.question, line.judge, line.error) == (id, "qwen", None)
        assert line.qualities is not None
        assert line.qualities.keys() == set(VARIANTS)
        assert {GOOD, BAD} == set(line.qualities.values())


async def test_a_question_that_was_asked_anew_is_judged_too(tmp_path: Path) -> None:
    made = run(questions(1), {name: [{}] for name in VARIANTS})
    folder = RunFolder(tmp_path)
    folder.keep_facts(made.manifest, made.questions)
    for each in made.outcomes:
        anew = Verified(None, "Bats.", (), revised="Which birds fly?")
        folder.add_outcome(replace(each, verified=anew if each.variant == "rag" else None))
    _, llm = await judged(folder, [BOTH, {"score": 0.9}])
    assert "Which birds fly?" in llm.calls[-1].messages[-1].content
    assert folder.judged()[0].good_revisions == {"rag": True}


async def test_a_reply_that_cannot_be_used_is_kept_as_a_failure_and_not_asked_for_again(
    tmp_path: Path,
) -> None:
    folder = folder_of(tmp_path, 4)
    alone: Line = {"answers": [asdict(GOOD)]}  # of two answers
    made, _ = await judged(folder, [alone, BOTH, LLMRejectedError("too long")])
    assert (made.judged, made.failed) == (1, 2)
    first, second, third = folder.judged()
    assert first.qualities is third.qualities is None
    assert second.qualities is not None
    assert first.error is not None
    assert first.error.startswith("LLMOutputError: ")
    assert third.error == "LLMRejectedError: too long"
    assert made.errors == (first.error, third.error)
    again, llm = await judged(folder, [])
    assert llm.calls == []
    assert again == made


async def test_a_server_that_is_gone_ends_it_and_it_goes_on_from_there(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    with pytest.raises(LLMUnavailableError):
        await judged(folder, [BOTH, LLMUnavailableError("gone")])
    assert [each.question for each in folder.judged()] == ["short/0"]
    whole = folder.judgements.read_bytes()
    folder.judgements.write_bytes(whole + b'{"question": "sho')  # killed as it wrote
    made, llm = await judged(folder, [BOTH])
    assert len(llm.calls) == 1
    assert (made.judged, made.complete) == (2, True)
    assert folder.judgements.read_bytes().startswith(whole)


async def test_a_refusal_of_the_very_first_question_is_a_wrong_name(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    with pytest.raises(LLMRejectedError, match="no such model"):
        await judged(folder, [LLMRejectedError("no such model")])
    assert folder.judged() == []


async def test_no_question_is_begun_when_the_time_is_up(tmp_path: Path) -> None:
    made, llm = await judged(folder_of(tmp_path), [BOTH], hours=0.0)
    assert (llm.calls, made.judged, made.complete) == ([], 0, False)


async def test_two_judges_do_not_mix(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    await judged(folder, [BOTH, LLMOutputError("cut off")])
    with pytest.raises(UsageError, match="judged by qwen, not by llama") as refused:
        await judged(folder, [BOTH], name="llama")
    assert "judgements.jsonl" in refused.value.help


async def test_without_finished_questions_there_is_nothing_to_judge(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="answered by all"):
        await judged(folder_of(tmp_path, 1), [BOTH])


async def test_an_answer_that_ended_in_an_error_is_shown_as_such(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, 1)
    (asked,) = folder.questions()
    folder.add_outcome(Outcome(asked.id, "upheld", None, "UsageError: too long", 1.0))
    _, llm = await judged(folder, [BOTH])
    told = llm.calls[0].messages[-1].content
    assert "It takes 35 minutes." in told
    assert "No answer could be written." in told


def test_what_the_judge_is_told_to_be_right() -> None:
    asked = Asked("q", "q", "Who?", ("Ann", "Anne"))
    assert right_wordings(asked) == ("Ann", "Anne")
    assert right_wordings(Asked("q", "q", "Who?")) == ()
    assert right_wordings(Asked("q", "q", "Is it?", ("yes",), yes=False)) == ("no",)
    parts = Asked("q", "q", "Who are they?", parts=(("Ann", "Anne"), ("Bea",)))
    assert right_wordings(parts) == ("Ann; Bea",)
    (nothing,) = right_wordings(Asked("q", "q", "Who?", answerable=False))
    assert "do not answer" in nothing
