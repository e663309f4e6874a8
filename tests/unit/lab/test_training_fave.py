"""The planner's data: steps that stand alone, scores by gold, pairs, prompts of the library."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.unit.fake_kb import kb
from upheld.planning.plan import Plan, at_most
from upheld.run.trace import start_run
from upheld.types import Question
from upheld_lab.bench.split import Split, split_of_article
from upheld_lab.bench.suites.files import passage
from upheld_lab.testing.fake_llm import FakeLLM
from upheld_lab.training.fave.data import EXAMPLES, PAIRS, SESSIONS, make_examples, make_pairs
from upheld_lab.training.fave.decompositions import (
    LONGEST,
    PlannedQuestion,
    examples,
    facts_of,
    read_planned,
    self_contained,
)
from upheld_lab.training.fave.sessions import Feedback, ScoredSession, pairs_of
from upheld_lab.training.language_model.examples import read_examples, read_preferences

STEPS = ("Which animals pay?", "What do dogs pay?")
QUESTION = PlannedQuestion(
    "q", "Do dogs pay?", "ferry", STEPS, frozenset({"a", "b", "c"}), Split.TRAIN
)


def ignore(_: str, __: int, ___: int) -> None:
    """Nobody watches."""


@pytest.mark.parametrize(
    ("steps", "plain"),
    [
        (
            ["What is the capital of Vell?", "When was #1 founded?", "Is #2 before 1900?"],
            ["What is the capital of Vell?", "When was the capital of Vell founded?"],
        ),
        (
            ["What country borders Vell?", "What is the official language of #1?"],
            [
                "What country borders Vell?",
                "What is the official language of the country that borders Vell?",
            ],
        ),
        (["How many kids did Ada have?", "How old were #1?"], ["How many kids did Ada have?"]),
        (["Who rows?", "Who rows?"], ["Who rows?"]),
        (["Is #1 red?", "What is #7?", ""], []),
        (["What is the " + "very " * 50 + "long way?"], []),
    ],
)
def test_steps_are_named_or_left_out(steps: list[str], plain: list[str]) -> None:
    assert list(self_contained(steps)) == plain


async def test_the_planner_is_asked_byte_by_byte_what_it_was_trained_on() -> None:
    (example,) = examples([QUESTION])
    llm = FakeLLM([example.reply] * 8)
    with start_run():
        sessions = await Plan(llm=llm)(Question(QUESTION.text))
    assert llm.calls[0].messages == example.messages
    assert tuple(each.text for each in sessions[0]) == STEPS
    assert at_most(5).model_validate_json(example.reply)


def test_one_step_alone_teaches_nothing() -> None:
    assert not list(examples([replace(QUESTION, steps=STEPS[:1])]))


def test_pairs_prefer_what_finds_more_gold() -> None:
    sessions = [ScoredSession((str(score), "x"), score) for score in (0, 1, 1, 3)]
    found = list(pairs_of(QUESTION, sessions))
    assert [each.difference for each in found] == [3, 2, 1]
    for each in found:
        better, worse = (json.loads(text)["questions"][0] for text in (each.chosen, each.rejected))
        assert int(better) - int(worse) == each.difference
    assert [each.difference for each in pairs_of(QUESTION, sessions, 2)] == [3, 2]
    assert not list(pairs_of(QUESTION, sessions[1:3]))


async def test_sessions_are_searched_for_and_scored(tmp_path: Path) -> None:
    lines = [{"questions": ["How long does the crossing take?"]}, {"questions": ["Do dogs pay?"]}]
    opened = await kb(tmp_path, lambda *_: lines[0])
    evidence = await opened.search("crossing")
    gold = frozenset({evidence[0].passage.id})
    question = PlannedQuestion("q", "How long?", "ferry", (), gold, Split.DEV)
    out = tmp_path / "new"
    counts = await make_pairs([question], opened._parts, out, ignore)
    assert counts == {}
    assert read_preferences(out / PAIRS) == []
    (row,) = rows_of(out / SESSIONS)
    assert (row["gold"], [each["found"] for each in row["sessions"]]) == (1, [1])
    await opened.close()


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


async def test_sessions_of_a_stopped_run_are_not_sampled_again(tmp_path: Path) -> None:
    opened = await kb(tmp_path, lambda *_: {"questions": ["Do dogs pay?"]})
    asked = [replace(QUESTION, id=id) for id in ("q", "r")]
    await make_pairs(asked[:1], opened._parts, tmp_path, ignore)
    (row,) = rows_of(tmp_path / SESSIONS)
    better = {"questions": ["Which animals pay?"], "found": 9}
    (tmp_path / SESSIONS).write_text(json.dumps(row | {"sessions": [*row["sessions"], better]}))
    with (tmp_path / SESSIONS).open("a") as lines:
        lines.write("\n")
    counts = await make_pairs(asked, opened._parts, tmp_path, ignore)
    assert counts == {"train/differ by 2": 1}
    assert [each["question"] for each in rows_of(tmp_path / SESSIONS)] == ["q", "r"]
    await opened.close()


async def test_sessions_of_another_planner_do_not_count(tmp_path: Path) -> None:
    opened = await kb(tmp_path, lambda *_: {"questions": ["Do dogs pay?"]})
    await make_pairs([QUESTION], opened._parts, tmp_path, ignore)
    (row,) = rows_of(tmp_path / SESSIONS)
    (tmp_path / SESSIONS).write_text(json.dumps(row | {"planner": "another"}) + "\n")
    await make_pairs([QUESTION], opened._parts, tmp_path, ignore)
    assert rows_of(tmp_path / SESSIONS) == [row]
    await opened.close()


async def test_the_papers_feedback_counts_what_the_answer_states(tmp_path: Path) -> None:
    from upheld_lab.testing.fake_entailment import FakeEntailment

    def script(_: object, output: object) -> dict[str, object]:
        if "SubQuestions" in str(output):
            return {"questions": ["How long does the crossing take?"]}
        if "Claims" in str(output):
            return {"claims": [{"sources": [1], "text": "The crossing takes 35 minutes."}]}
        return {"relevant": [True]}

    opened = await kb(tmp_path, script, entailment=FakeEntailment())
    evidence = await opened.search("crossing")
    gold = frozenset(each.passage.id for each in evidence)
    question = PlannedQuestion("q", "How long?", "ferry", (), gold, Split.DEV)
    await make_pairs([question], opened._parts, tmp_path, ignore, Feedback.ANSWER)
    (row,) = rows_of(tmp_path / SESSIONS)
    assert all(0 <= each["found"] <= row["gold"] for each in row["sessions"])
    await opened.close()


def pack(folder: Path, *rows: dict[str, object]) -> Path:
    (folder / "b_questions").mkdir()
    for name, some in (("train", rows[1:]), ("dev", rows[:1])):
        with gzip.open(folder / f"b_questions/strategyqa_{name}.json.gz", "wt") as out:
            json.dump(some, out)
    return folder


def row(term: str, question: str, *facts: str) -> dict[str, object]:
    steps = [f"What is the size of {term}?", "What is large?"]
    return {
        "qid": f"{term}/{question}", "term": term, "question": question, "facts": facts,
        "answer": True, "decomposition": steps,
    }  # fmt: skip


def test_no_question_of_test_trains_and_none_is_on_two_sides(tmp_path: Path) -> None:
    names = [f"Isle {number}" for number in range(60)]
    rows = [row(name, f"Is {name} large?", f"{name} is large.") for name in names]
    test = next(name for name in names if split_of_article(name) is Split.TEST)
    data = pack(tmp_path, *rows, row(names[0], "Same?"), row(test, "same"))
    planned = read_planned(data)
    assert {each.split for each in planned} == {Split.TRAIN, Split.DEV}
    assert all(split_of_article(each.article) is each.split for each in planned)
    assert "Same?" not in {each.text for each in planned}
    assert len(facts_of(data)) == len(names)
    assert planned[0].gold <= {passage("strategyqa", f"{name} is large.").id for name in names}
    counts = make_examples(planned, tmp_path)
    made = read_examples(tmp_path / EXAMPLES)
    assert counts["train/sessions"] == sum(each.split is Split.TRAIN for each in made)
    assert all(len(step) <= LONGEST for e in made for step in json.loads(e.reply)["questions"])
