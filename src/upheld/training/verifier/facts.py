"""True sentences with the passage that says them: what synthetic pairs are made from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from upheld.bench.split import Split, article, split_of_article
from upheld.sentences import sentences
from upheld.training.verifier.leaks import TestTexts
from upheld.training.verifier.pairs import lot, rows

_SOURCES = frozenset({"wikilink", "2wiki", "nq", "squad"})  # prose; tables and fragments are not
_SHORTEST, _LONGEST = 7, 40  # words a sentence
_STATES = re.compile(  # a title that is a statement
    r"\b(?:is|are|was|were|has|have|can|does|do|may|\w{3,}(?:ates|izes|ises|ulates|duces|vents"
    r"|motes|hibits|eases|roves|tects|pairs|gers|lies|ances|bles|fies|ines|ends|uires|ains|rols"
    r"|ves|nds|cts))\b"
)


@dataclass(frozen=True, slots=True)
class Fact:
    """A sentence of a passage, by its place; or a claim that the whole passage makes (-1)."""

    document: str
    title: str
    sentences: tuple[str, ...]
    at: int
    claim: str


def wikipedia(data: Path, half: str, limit: int, tests: TestTexts) -> list[Fact]:
    """Sentences of train-side articles; `half` says whose: the verifier's or the scorer's."""
    found = []
    for row in sorted(_train_side(data, half), key=lambda row: lot("facts", row["pid"])):
        parts = tuple(sentences(row["text"]))
        usual = [i for i, part in enumerate(parts) if _SHORTEST <= len(part.split()) <= _LONGEST]
        if len(parts) < 2 or not usual or tests.share_a_sentence(parts):
            continue
        at = usual[int(lot("which", row["pid"]) * len(usual))]
        found.append(Fact(article(row["title"]), row["title"], parts, at, parts[at]))
        if len(found) == limit:
            break
    return found


def science(data: Path, limit: int, tests: TestTexts) -> list[Fact]:
    """Titles of abstracts that are statements, then sentences of abstracts."""
    found = []
    for row in sorted(
        rows(data / "c_verification" / "scifact_corpus.jsonl.gz"),
        key=lambda row: lot("facts", str(row["doc_id"])),
    ):
        parts = tuple(sentence.strip() for sentence in row["abstract"] if sentence.strip())
        title = row["title"].strip()
        if len(parts) < 3 or tests.share_a_sentence([*parts, title]):
            continue
        document = f"scifact:{row['doc_id']}"
        if _STATES.search(title) and len(title.split()) >= _SHORTEST and "?" not in title:
            found.append(Fact(document, "", parts, -1, title.rstrip(".") + "."))
        else:
            at = len(parts) - 1 - int(lot("which", document) * min(3, len(parts)))
            if _SHORTEST <= len(parts[at].split()) <= _LONGEST:
                found.append(Fact(document, title, parts, at, parts[at]))
        if len(found) == limit:
            break
    return found


def _train_side(data: Path, half: str) -> Iterator[dict[str, str]]:
    for row in rows(data / "a_corpus" / "passages.jsonl.gz"):
        if row["source"] in _SOURCES and split_of_article(row["title"]) is Split.TRAIN:
            ours = lot("verifier or scorer", article(row["title"])) < 0.5
            if ours == (half == "verifier"):
                yield row
