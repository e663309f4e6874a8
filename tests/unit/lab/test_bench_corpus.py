"""Choosing questions and passages from a data pack, on a small one made here."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from upheld.errors import NotFoundError
from upheld.retrieval.grade import Grade
from upheld_lab.bench.corpus import SETS, choose_passages, choose_questions, load
from upheld_lab.bench.prepared import Choice
from upheld_lab.bench.retrieval.run import bench_retrieval
from upheld_lab.bench.split import Split
from upheld_lab.bench.vectors import VectorCache
from upheld_lab.testing.fake_embedder import FakeEmbedder
from upheld_lab.testing.fake_grader import FakeGrader


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    folder = tmp_path / "pack" / "a_corpus"
    folder.mkdir(parents=True)
    passages = [
        {
            "pid": f"p{i}",
            "title": f"Town {i}",
            "text": f"Town number{i} lies by a river. Its mayor is person{i}.",
            "source": "wiki",
        }
        for i in range(200)
    ]
    table = {"pid": "t", "title": "Towns", "text": "a | b", "source": "wikitable"}
    write(folder / "passages.jsonl.gz", [*passages, table])
    for file in SETS.values():
        questions = [
            {
                "qid": f"{file}-{i}",
                "question": f"Who is the mayor of town number{i}?",
                "answers": [f"person{i}"],
                "answerable": i % 10 != 9,
                "gold_pids": ["t"] if i % 10 == 8 else [f"p{i}", "t"],
            }
            for i in range(100)
        ]
        write(folder / f"{file}.jsonl.gz", questions)
    return tmp_path / "pack"


def test_only_answerable_questions_with_a_gold_text_count(pack: Path) -> None:
    corpus = load(pack)
    assert len(corpus.questions["nq"]) == 80
    assert all("t" not in each.gold for each in corpus.questions["nq"])
    assert "t" in corpus.passages  # searched all the same
    assert set(corpus.hashes) == {f"{name}.jsonl.gz" for name in [*SETS.values(), "passages"]}


def test_the_choice_is_stable_and_a_smaller_one_is_part_of_it(pack: Path) -> None:
    corpus = load(pack)
    many = choose_questions(corpus, Split.TEST, 10, seed=1)
    few = choose_questions(corpus, Split.TEST, 3, seed=1)
    assert few["nq"] == many["nq"][:3]
    assert choose_questions(corpus, Split.TEST, 10, seed=2)["nq"] != many["nq"]
    assert "hotpotqa" not in choose_questions(corpus, Split.DEV, 10, seed=1)


def test_all_gold_is_among_the_passages(pack: Path) -> None:
    corpus = load(pack)
    questions = choose_questions(corpus, Split.TEST, 5, seed=0)["hotpotqa"]
    chosen = {passage.id for passage in choose_passages(corpus, questions, 50, seed=0)}
    assert len(chosen) == 50
    assert all(question.gold <= chosen for question in questions)
    assert len(choose_passages(corpus, questions, None, seed=0)) == 201


def test_a_folder_without_a_pack_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="a_corpus"):
        load(tmp_path)


async def test_vectors_are_made_once_and_a_broken_run_resumes(tmp_path: Path) -> None:
    texts = [f"text {i}" for i in range(1000)]
    first = FakeEmbedder()
    await VectorCache(first, tmp_path).vectors(texts[:700])
    again = FakeEmbedder()
    vectors = await VectorCache(again, tmp_path).vectors(texts)
    assert sorted(again.embedded) == sorted(texts[700:])
    assert (vectors == await FakeEmbedder().embed(texts)).all()
    other = FakeEmbedder(identity="other")
    await VectorCache(other, tmp_path).vectors(texts[:1])
    assert other.embedded == texts[:1]


async def test_the_whole_bench_on_a_small_pack(pack: Path, tmp_path: Path) -> None:
    choice = Choice(pack, tmp_path / "cache", passages=120, questions=20)
    told: dict[str, int] = {}
    report = await bench_retrieval(
        choice,
        FakeEmbedder(),
        Grade(grader=FakeGrader(), upper=0.9, lower=0.5),
        lambda what, done, total: told.update({what: done}),
        enough=1,
    )
    found = {(row["set"], row["mode"]): row for row in report.rows}
    assert found["nq", "bm25"]["hit1"] == 1.0  # the number of the town is one word
    assert found["nq", "hybrid"]["answer_in5"] == 1.0
    assert report.bars["bm25_minus_reference_hit5"] == 0.0
    assert report.bars["quote_answer_in_gain"] > 0
    assert found["nq", "reranked"]["hit1"] == 1.0
    # Without its gold no town has the number that was asked for, and the fake grader sees it.
    assert report.bars["action_bacc"] == report.bars["action_decided"] == 1.0
    assert set(report.bars) == {
        "hybrid_minus_bm25_hit5",
        "hybrid_worst_set_gap",
        "bm25_minus_reference_hit5",
        "quote_answer_in_gain",
        "rerank_minus_hybrid_hit5",
        "action_bacc",
        "action_decided",
    }
    assert report.manifest["passages"] == 120
    assert told["indexing"] == 120
