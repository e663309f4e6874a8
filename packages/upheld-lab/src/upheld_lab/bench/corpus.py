"""The data pack's passages and questions, and the choice of them that a run uses."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from upheld.errors import NotFoundError
from upheld.types import Passage, content_hash
from upheld_lab.bench.pack import rows
from upheld_lab.bench.split import Split, split_of_question

SETS = {  # our name to the file's
    "squad11": "q_squad11_dev",
    "nq": "q_nq_open_oracle",
    "timeqa": "q_timeqa_human_test",
    "ottqa": "q_ottqa_dev",
    "hotpotqa": "q_hotpotqa_train",
    "musique": "q_musique_train",
}
TABLES = "wikitable"  # source of passages that are tables: searched, but never gold


@dataclass(frozen=True, slots=True)
class BenchQuestion:
    """An answerable question with the passages that answer it."""

    set: str
    id: str
    text: str
    answers: tuple[str, ...]
    gold: frozenset[str]
    split: Split


@dataclass(frozen=True, slots=True)
class Corpus:
    """All that the pack holds for retrieval."""

    passages: Mapping[str, Passage]
    questions: Mapping[str, Sequence[BenchQuestion]]  # by set
    hashes: Mapping[str, str]  # of the files, for the manifest


def load(data: Path) -> Corpus:
    """Read the pack; every answerable question that has a gold passage which is not a table."""
    folder = data / "a_corpus"
    if not folder.is_dir():
        raise NotFoundError(
            f"There is no a_corpus under {data}.", help="--data is the folder of the data pack."
        )
    files = {"passages": folder / "passages.jsonl.gz"}
    files |= {name: folder / f"{file}.jsonl.gz" for name, file in SETS.items()}
    found = list(rows(files["passages"]))
    passages = {row["pid"]: _passage(row) for row in found}
    tables = {row["pid"] for row in found if row["source"] == TABLES}
    return Corpus(
        passages,
        {name: _questions(name, files[name], passages, tables) for name in SETS},
        {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files.values()},
    )


def choose_questions(
    corpus: Corpus, split: Split, limit: int, seed: int
) -> dict[str, list[BenchQuestion]]:
    """Up to `limit` questions a set; a smaller limit gives a part of a larger one's."""
    chosen = {}
    for name, questions in corpus.questions.items():
        of_split = [question for question in questions if question.split is split]
        of_split.sort(key=lambda question: _lot(seed, question.id))
        if of_split:
            chosen[name] = of_split[:limit]
    return chosen


def choose_passages(
    corpus: Corpus, questions: Iterable[BenchQuestion], limit: int | None, seed: int
) -> list[Passage]:
    """All gold of the questions, filled up with distractors by lot; None takes everything."""
    if limit is None:
        return list(corpus.passages.values())
    gold = set().union(*(question.gold for question in questions))
    others = sorted(corpus.passages.keys() - gold, key=lambda other: _lot(seed, other))
    chosen = gold.union(others[: max(0, limit - len(gold))])
    return [passage for id, passage in corpus.passages.items() if id in chosen]


def _lot(seed: int, id: str) -> bytes:
    return hashlib.sha256(f"{seed}:{id}".encode()).digest()


def _questions(
    name: str, path: Path, passages: Mapping[str, Passage], tables: set[str]
) -> list[BenchQuestion]:
    found = []
    for row in rows(path):
        gold = frozenset(row["gold_pids"]) - tables
        if row["answerable"] and gold:
            titles = frozenset(passages[id].title for id in gold)
            split = split_of_question(name, titles)
            answers = tuple(row["answers"])
            found.append(BenchQuestion(name, row["qid"], row["question"], answers, gold, split))
    return found


def _passage(row: Mapping[str, str]) -> Passage:
    """A passage that is a document of its own: nothing is split."""
    text = row["text"]
    version = content_hash(text)
    return Passage(row["pid"], text, row["pid"], version, 0, len(text), title=row["title"])
