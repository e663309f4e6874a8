"""Suites that bring their own texts: facts of questions, and sources that disagree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.unit.suite_packs import titles, write_rows, write_whole
from upheld_lab.bench.split import Split
from upheld_lab.bench.suites.choose import load_suite
from upheld_lab.bench.suites.suite import Suite

TEST, OTHER = titles(Split.TEST, 2, "Term")
[DEV] = titles(Split.DEV, 1, "Term")
ASK = titles(Split.TEST, 3, "Who is")
[ASK_DEV] = titles(Split.DEV, 1, "Who is")


def strategy(id: str, term: str, answer: bool, *facts: str) -> dict[str, Any]:
    question = f"Is {id} so? "
    return {"qid": id, "term": term, "question": question, "answer": answer, "facts": facts}


def sides(id: str, memory: str, evidence: str, counter: str, against: str) -> dict[str, Any]:
    return {
        "question": f"Is {id} so?",
        "parametric_memory": memory,
        "parametric_memory_aligned_evidence": evidence,
        "counter_memory": counter,
        "counter_memory_aligned_evidence": against,
    }


def document(text: str, type: str) -> dict[str, str]:
    return {"text": text, "type": type, "answer": "unknown"}


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    questions, robustness = tmp_path / "b_questions", tmp_path / "d_robustness"
    write_whole(
        questions / "strategyqa_dev.json.gz",
        [
            strategy("one", TEST, True, "Fact A.", "Fact B. "),
            strategy("two", DEV, False, "Fact C."),
        ],
    )
    write_whole(
        questions / "strategyqa_train.json.gz", [strategy("three", OTHER, False, "Fact A.", "D.")]
    )
    write_rows(
        robustness / "conflictqa_strategyqa_gpt4.jsonl.gz",
        [
            sides("one", "It is.", "Fact  A. Fact B.", "It is not.", "No."),
            sides("one", "It is, again.", "Fact A. Fact B.", "It is not.", "No."),
            sides("three", "It is.", "Surely.", "It is not.", "Fact A. D."),
            sides("two", "Neither.", "has the", "facts.", "of it"),
            sides("unknown", "a", "b", "c", "d"),
        ],
    )
    write_rows(
        robustness / "ramdocs_test.jsonl.gz",
        [
            {
                "question": ASK[0],
                "documents": [
                    document("A poet.", "correct"),
                    document("A painter.", "correct"),
                    document("A king.", "misinfo"),
                    document("Nothing.", "noise"),
                ],
                "gold_answers": ["poet", "painter"],
                "wrong_answers": ["king", "king", "Poet"],
            },
            {
                "question": ASK[1],
                "documents": [document("A cook.", "correct")],
                "gold_answers": ["cook"],
                "wrong_answers": [],
            },
            {
                "question": ASK[2],
                "documents": [document("A thief.", "misinfo")],
                "gold_answers": ["smith"],
                "wrong_answers": ["thief"],
            },
            {
                "question": ASK_DEV,
                "documents": [document("A miller.", "correct")],
                "gold_answers": ["miller"],
                "wrong_answers": [],
            },
        ],
    )
    return tmp_path


def texts(suite: Suite, ids: frozenset[str]) -> set[str]:
    return {each.text for each in suite.passages if each.id in ids}


def test_the_facts_of_all_questions_are_the_corpus(pack: Path) -> None:
    suite = load_suite("facets", pack, split=Split.TEST)
    assert {each.id for each in suite.questions} == {"strategyqa/one", "strategyqa/three"}
    assert sorted((each.title, each.text) for each in suite.passages) == sorted(
        [(TEST, "Fact A."), (TEST, "Fact B."), (DEV, "Fact C."), (OTHER, "D.")]
    )
    [one] = [each for each in suite.questions if each.id == "strategyqa/one"]
    assert (one.text, one.yes, one.facts) == ("Is one so?", True, ("Fact A.", "Fact B."))
    assert (one.answers, one.gold, one.answerable) == ((), frozenset(), True)
    [dev] = load_suite("facets", pack, split=Split.DEV).questions
    assert (dev.id, dev.yes) == ("strategyqa/two", False)


def test_right_documents_are_gold_and_false_ones_are_noted(pack: Path) -> None:
    suite = load_suite("conflict", pack, split=Split.TEST)
    asked = {each.text: each for each in suite.questions}
    assert ASK[2] not in asked  # no document has its answer
    assert ASK_DEV not in asked
    poet, cook = asked[ASK[0]], asked[ASK[1]]
    assert texts(suite, poet.gold) == {"A poet.", "A painter."}
    assert texts(suite, poet.false_passages) == {"A king."}
    assert poet.answers == ("poet", "painter")
    assert poet.parts == (("poet",), ("painter",))
    assert poet.false_answers == ("king",)  # "Poet" is right as well
    assert (cook.parts, cook.false_answers, cook.false_passages) == ((), (), frozenset())
    assert {"Nothing.", "A thief.", "A miller."} < {each.text for each in suite.passages}


def test_the_true_side_is_the_one_with_the_facts_whatever_the_model_remembered(
    pack: Path,
) -> None:
    suite = load_suite("conflict", pack, split=Split.TEST)
    asked = {each.id: each for each in suite.questions if each.set == "conflictqa"}
    assert set(asked) == {"conflictqa/one", "conflictqa/three"}
    one, three = asked["conflictqa/one"], asked["conflictqa/three"]
    assert texts(suite, one.gold) == {"It is.", "Fact  A. Fact B."}
    assert texts(suite, one.false_passages) == {"It is not.", "No."}
    assert texts(suite, three.gold) == {"It is not.", "Fact A. D."}
    assert texts(suite, three.false_passages) == {"It is.", "Surely."}
    assert (one.yes, three.yes) == (True, False)
    assert (three.facts, three.false_answers) == (("Fact A.", "D."), ())
    assert [each.set for each in suite.questions] == ["ramdocs", "conflictqa"] * 2
