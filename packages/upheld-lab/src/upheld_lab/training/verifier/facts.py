"""True sentences with the passage that says them: what synthetic pairs are made from."""

# ruff: noqa: E501  (one entry of a list, or one form, is one line)

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from upheld.text.sentences import sentences
from upheld_lab.bench.pack import lot, rows
from upheld_lab.bench.split import Split, article, split_of_article
from upheld_lab.training.verifier.leaks import TestTexts

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
    rows_ = sorted(_train_side(data, half), key=lambda row: lot("facts", row["pid"]))
    return list(islice(_of_passages(rows_, tests), limit))


_WHOLE = re.compile(r"[A-Z0-9\"“'].*[^.A-Z]{2}[.!]['\"”]?", re.DOTALL)
_BROKEN = re.compile(
    r"[\[\]{}|]|\( |,\s*\)|\(\s*\)|\.\.| ,|\w\.\w{3,}|[\u0370-\uffff]{3}|\b[A-Z]\. [A-Z][a-z]+ \w+ed\b"
)
_LEANING = re.compile(
    r"(?:However|But|And|Or|Also|Although|Though|Thus|Therefore|Instead|Besides)\b"
)


def stands_alone(sentence: str) -> bool:
    """A whole sentence of plain text that does not lean on the one before it."""
    return bool(_WHOLE.fullmatch(sentence)) and not (
        _BROKEN.search(sentence)
        or _LEANING.match(sentence)
        or sentence.count("(") != sentence.count(")")
        or sentence.count('"') % 2
    )


def every_sentence(data: Path, half: str, tests: TestTexts, most: int = 4) -> Iterator[Fact]:
    """Up to so many sentences of each train-side passage of Wikipedia, spread over it."""
    for row in sorted(_train_side(data, half), key=lambda row: lot("facts", row["pid"])):
        parts = tuple(sentences(row["text"]))
        usual = [
            at
            for at, part in enumerate(parts)
            if _SHORTEST <= len(part.split()) <= _LONGEST and stands_alone(part)
        ]
        if len(parts) < 2 or not usual or tests.share_a_sentence(parts):
            continue
        chosen = sorted(usual, key=lambda at: lot(f"which {at}", row["pid"]))[:most]
        for at in sorted(chosen):
            yield Fact(article(row["title"]), row["title"], parts, at, parts[at])


def table_passages(data: Path, half: str) -> Iterator[dict[str, str]]:
    """Train-side passages that hold rows of tables."""
    for row in rows(data / "a_corpus" / "passages.jsonl.gz"):
        title = row["title"].partition(" | ")[0]
        mine = split_of_article(title) is Split.TRAIN and owner(title) == half
        if row["source"] == "wikitable" and mine:
            yield row


def science(data: Path, limit: int, tests: TestTexts) -> list[Fact]:
    """Titles of abstracts that are statements, then sentences of abstracts."""
    corpus = rows(data / "c_verification" / "scifact_corpus.jsonl.gz")
    rows_ = sorted(corpus, key=lambda row: lot("facts", str(row["doc_id"])))
    return list(islice(_of_abstracts(rows_, tests), limit))


def _of_passages(passages: Iterable[Mapping[str, str]], tests: TestTexts) -> Iterator[Fact]:
    for row in passages:
        parts = tuple(sentences(row["text"]))
        usual = [i for i, part in enumerate(parts) if _SHORTEST <= len(part.split()) <= _LONGEST]
        if len(parts) < 2 or not usual or tests.share_a_sentence(parts):
            continue
        at = usual[int(lot("which", row["pid"]) * len(usual))]
        yield Fact(article(row["title"]), row["title"], parts, at, parts[at])


def _of_abstracts(abstracts: Iterable[Mapping[str, Any]], tests: TestTexts) -> Iterator[Fact]:
    for row in abstracts:
        parts = tuple(sentence.strip() for sentence in row["abstract"] if sentence.strip())
        title = row["title"].strip()
        if len(parts) < 3 or tests.share_a_sentence([*parts, title]):
            continue
        document = f"scifact:{row['doc_id']}"
        if _STATES.search(title) and len(title.split()) >= _SHORTEST and "?" not in title:
            yield Fact(document, "", parts, -1, title.rstrip(".") + ".")
        else:
            at = len(parts) - 1 - int(lot("which", document) * min(3, len(parts)))
            if _SHORTEST <= len(parts[at].split()) <= _LONGEST:
                yield Fact(document, title, parts, at, parts[at])


def _train_side(data: Path, half: str) -> Iterator[dict[str, str]]:
    for row in rows(data / "a_corpus" / "passages.jsonl.gz"):
        side = split_of_article(row["title"])
        if row["source"] in _SOURCES and side is Split.TRAIN and owner(row["title"]) == half:
            yield row


def owner(title: str) -> str:
    """Whose an article is: the verifier and the scorer that grades it share none."""
    return "verifier" if lot("verifier or scorer", article(title)) < 0.5 else "scorer"
