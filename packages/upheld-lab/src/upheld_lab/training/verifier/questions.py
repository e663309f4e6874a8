"""Questions that people asked of a passage, turned into claims: paraphrase that is no copying.

The right answer makes a claim that its passage entails; an answer of a like question makes one
that it does not; a passage of the same article without the answer says nothing either way.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from upheld.text.sentences import sentences
from upheld_lab.bench.pack import lot, rows
from upheld_lab.bench.split import Split, article, split_of_article
from upheld_lab.bench.verify.labels import Label
from upheld_lab.training.verifier.facts import owner
from upheld_lab.training.verifier.pairs import Pair, premise
from upheld_lab.training.verifier.windows import gathered, windows

_FILES = ("q_squad11_dev", "q_squad2_dev", "q_nq_open_oracle")
_WHO_DID = re.compile(
    r"^who (?!did|do|does|is|are|was|were|has|have|had|can|will|would)(.+)$", re.I
)
_IS_THE = re.compile(r"^(?:what|who) (is|was|are|were) (the .+)$", re.I)
_FIGURE = re.compile(r"\d")
_ONE_RIGHT = re.compile(r"^(?:who|when|how many|how much|in what year|what year)\b", re.I)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question about a passage; without an answer where the passage has none."""

    text: str
    answer: str | None
    passage: str


def statement(question: str, answer: str) -> str:
    """The answer as a claim: in the question's place where its form allows, else behind it.

    >>> statement("Who wrote Hamlet?", "Shakespeare")
    'Shakespeare wrote Hamlet.'
    >>> statement("What is the capital of France?", "Paris")
    'The capital of France is Paris.'
    >>> statement("When did the war end?", "1945")
    'When did the war end? 1945.'
    """
    asked, answer = question.strip().rstrip("?").strip(), answer.strip().rstrip(".")
    if did := _WHO_DID.match(asked):
        return f"{answer[:1].upper()}{answer[1:]} {did[1]}."
    if the := _IS_THE.match(asked):
        return f"{the[2][:1].upper()}{the[2][1:]} {the[1].lower()} {answer}."
    return f"{asked[:1].upper()}{asked[1:]}? {answer}."


def asked_of_wikipedia(
    data: Path, half: str, limit: int, seed: int, side: Split = Split.TRAIN
) -> list[Pair]:
    """About two pairs a question of one side's articles; `half` says whose."""
    texts = _passages(data, half, side)
    questions = sorted(_asked(data, texts), key=lambda one: lot("asked", one.text + one.passage))
    beside: dict[str, list[Asked]] = defaultdict(list)
    same_article: dict[str, list[str]] = defaultdict(list)
    for one in questions:
        beside[one.passage].append(one)
    for id in sorted(beside):
        same_article[article(texts[id][0])].append(id)
    dice = random.Random(seed)  # noqa: S311  (training data, no secret)
    found = list[Pair]()
    for one in questions[:limit]:
        title, text = texts[one.passage]
        near = [texts[id][1] for id in same_article[article(title)] if id != one.passage]
        for passage, claim, label in pairs_of(one, text, beside[one.passage], near, dice):
            found.append(Pair(premise(title, passage), claim, label, "questions", article(title)))
    return found


def asked_of_science(data: Path) -> Iterator[Pair]:
    """Yes-or-no questions that abstracts answer; `maybe` is neither."""
    with gzip.open(data / "c_verification" / "pubmedqa_pqal.json.gz", "rt") as file:
        asked = json.load(file)
    for id, row in asked.items():
        right = row["final_decision"]
        if right == "maybe":
            continue
        parts = [part for context in row["CONTEXTS"] for part in sentences(context)]
        chosen = sorted({*gathered(parts, row["QUESTION"], 70), *range(len(parts))[-2:]})
        text = " ".join(parts[i] for i in chosen)
        label = Label.ENTAILS if lot("side", id) < 0.5 else Label.CONTRADICTS
        word = right if label is Label.ENTAILS else {"yes": "no", "no": "yes"}[right]
        claim = f"{row['QUESTION'].strip()} {word.title()}."
        yield Pair(text, claim, label, "questions-science", f"pubmed:{id}")


def pairs_of(
    one: Asked, text: str, beside: Sequence[Asked], near: Sequence[str], dice: random.Random
) -> Iterator[tuple[str, str, Label]]:
    """Premise, claim and label; `beside` lends wrong answers, `near` texts without the answer."""
    others = sorted({each.answer for each in beside if each.answer} - {one.answer})
    if one.answer is None:
        if others:
            claim = statement(one.text, dice.choice(others))
            yield _near(text, claim), claim, Label.NOT_ENTAILED
        return
    claim = statement(one.text, one.answer)
    yield _holding(text, one.answer, claim, dice), claim, Label.ENTAILS
    like = [each for each in others if _like(each, one.answer) and not _same(each, one.answer)]
    if like and dice.random() < 0.8:
        label = Label.CONTRADICTS if _ONE_RIGHT.match(one.text) else Label.NOT_ENTAILED
        yield _near(text, claim), statement(one.text, dice.choice(like)), label
    silent = [each for each in near if one.answer.casefold() not in each.casefold()]
    if silent and dice.random() < 0.4:
        yield _near(dice.choice(silent), claim), claim, Label.NEUTRAL


def _holding(text: str, answer: str, claim: str, dice: random.Random) -> str:
    """A window of the passage that has the answer, or its sentences nearest to the claim."""
    parts = sentences(text)
    holding = [
        piece
        for a, b in windows(parts, dice.choice([50, 80, 110]))
        if answer.casefold() in (piece := " ".join(parts[a:b])).casefold()
    ]
    return holding[0] if len(holding) == 1 else _near(text, claim)


def _near(text: str, claim: str) -> str:
    parts = sentences(text)
    return " ".join(parts[i] for i in gathered(parts, claim, 100))


def _like(one: str, other: str) -> bool:
    return bool(_FIGURE.search(one)) == bool(_FIGURE.search(other))


def _same(one: str, other: str) -> bool:
    return one.casefold() in other.casefold() or other.casefold() in one.casefold()


def _passages(data: Path, half: str, side: Split) -> Mapping[str, tuple[str, str]]:
    """Title and text of the passages of one side of the split and one model's half."""
    return {
        row["pid"]: (row["title"], row["text"])
        for row in rows(data / "a_corpus" / "passages.jsonl.gz")
        if row["source"] in {"squad", "nq"}
        and split_of_article(row["title"]) is side
        and owner(row["title"]) == half
    }


def _asked(data: Path, texts: Mapping[str, tuple[str, str]]) -> Iterator[Asked]:
    seen = set[tuple[str, str]]()
    for name in _FILES:
        for row in rows(data / "a_corpus" / f"{name}.jsonl.gz"):
            answer = min(row["answers"], key=len) if row["answers"] else None
            for id in row["gold_pids"][:1]:
                key = (row["question"], id)
                if id in texts and key not in seen and (answer is None) != row["answerable"]:
                    seen.add(key)
                    yield Asked(row["question"], answer, id)
