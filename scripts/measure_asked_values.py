"""How often `asked_value` finds the answer in a sentence that has it (decision 036).

python scripts/measure_asked_values.py DATA
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from upheld.text.asked_value import asked_value
from upheld.text.sentences import sentences
from upheld.text.words import words
from upheld_lab.bench.pack import rows

WIKIPEDIA = ("squad11_dev", "nq_open_oracle", "timeqa_human_test")
QUESTIONS = 150  # of each

Asked = tuple[str, str, list[str]]  # a question, a sentence that has the answer, the answers


def main(data: Path) -> None:
    """Print questions, values given and values that are right."""
    for name, asked in (("manuals", list(_manuals(data))), ("Wikipedia", list(_wikipedia(data)))):
        given = [
            (value, answers)
            for question, sentence, answers in asked
            if (value := asked_value(question, sentence)) is not None
        ]
        right = sum(_agree(value, answers) for value, answers in given)
        print(f"{name}: {len(asked)} questions, {len(given)} values given, {right} right")


def _manuals(data: Path) -> Iterator[Asked]:
    for line in (data / "h_manuals" / "dev.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["answerable"]:
            yield from _with_answer(row["question"], row["gold"][0]["quote"], row["short_answers"])


def _wikipedia(data: Path) -> Iterator[Asked]:
    folder = data / "a_corpus"
    texts = {row["pid"]: row["text"] for row in rows(folder / "passages.jsonl.gz")}
    dice = random.Random(1)  # noqa: S311  # reproducible on purpose
    for name in WIKIPEDIA:
        asked = list(rows(folder / f"q_{name}.jsonl.gz"))
        dice.shuffle(asked)
        found = (
            each
            for row in asked
            if row.get("answerable", True) and row["gold_pids"]
            for each in _with_answer(row["question"], texts[row["gold_pids"][0]], row["answers"])
        )
        yield from islice(found, QUESTIONS)


def _with_answer(question: str, text: str, answers: list[str]) -> Iterator[Asked]:
    """Yield the first sentence of a text that has an answer, if there is one."""
    having = (s for s in sentences(text) if any(_plain(a) in _plain(s) for a in answers))
    for sentence in islice(having, 1):
        yield question, sentence, answers


def _agree(value: str, answers: list[str]) -> bool:
    one = _plain(value)
    return any(one in _plain(each) or _plain(each) in one for each in answers if _plain(each))


def _plain(text: str) -> str:
    return " ".join(words(text))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
