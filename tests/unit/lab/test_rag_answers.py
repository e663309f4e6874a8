"""RAG answers that people marked: read, flagged and counted."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from upheld.verification.decide import Decide
from upheld.verification.verify import Verify
from upheld_lab.bench.verify.rag_answers import f1, load_answers, rag_rows, see_answers
from upheld_lab.testing.fake_entailment import FakeEntailment

PASSAGE = "The ferry leaves the harbour at noon. Dogs travel free of charge."
RIGHT = ("The ferry leaves at noon.", "entails")
WRONG = ("Gulls nest on the deck.", "neutral")


def row(kind: str, claim: str, label: str, group: str) -> dict[str, Any]:
    return {
        "source": "ragtruth_qa",
        "kind": kind,
        "premise": [PASSAGE],
        "claim": claim,
        "label": label,
        "question": "When does it leave?",
        "group": group,
    }


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Six answers of two sentences; every other one is wrong."""
    (tmp_path / "g_grounded").mkdir()
    for part in ("train", "test"):
        lines = [{"source": "another", "kind": "rag_sentence"}]
        for number in range(6):
            second = WRONG if number % 2 else ("Dogs travel free of charge.", "entails")
            lines.append(row("rag_response", "…", "neutral", str(number)))
            lines.append(row("rag_sentence", *RIGHT, str(number)))
            lines.append(row("rag_sentence", *second, str(number)))
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (tmp_path / "g_grounded" / f"{part}.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    return tmp_path


def nowhere(what: str, done: int, total: int) -> None:
    pass


def test_the_sentences_of_an_answer_stay_together(data: Path) -> None:
    answers = load_answers(data, "test", 100)
    assert [len(answer.sentences) for answer in answers] == [2] * 6
    assert sum(answer.wrong for answer in answers) == 3
    assert answers[0].sentences[1].before == RIGHT[0]
    assert len(load_answers(data, "test", 4)) == 4


async def test_a_wrong_sentence_makes_a_wrong_answer(data: Path) -> None:
    verify, decide = Verify(model=FakeEntailment()), Decide()
    train = await see_answers(verify, data, "train", 100, nowhere)
    test = await see_answers(verify, data, "test", 100, nowhere)
    bars, [found] = rag_rows(train, test, decide)
    assert bars == {"ragtruth_qa_f1": 1.0, "ragtruth_qa_auc": 1.0}
    assert (found["sentences"], found["answers"], found["wrong"]) == (12, 6, 0.5)
    assert found["answer f1 by verdicts"] == 1.0
    assert found["all flagged f1"] == pytest.approx(2 / 3)


def test_f1_by_hand() -> None:
    assert f1([True, False], [True, False]) == 1.0
    assert f1([False, False], [True, False]) == 0.0
    assert f1([False], [False]) == 0.0
