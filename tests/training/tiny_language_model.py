"""A short run of the SFT recipe on a tiny base, in a process of its own.

python -m tests.training.tiny_language_model BASE WORK [other]
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from upheld.ports import Message
from upheld_lab.bench.split import Split
from upheld_lab.training.fave.decompositions import as_reply
from upheld_lab.training.language_model.examples import Example, Preference, write_examples

if TYPE_CHECKING:
    from upheld_lab.training.language_model.recipe import Recipe


def short(question: str) -> tuple[Message, ...]:
    """Not the planner's prompt: a byte is a token here."""
    return (Message("system", "Plan."), Message("user", f"Question: {question}"))


def tiny_recipe(**other: Any) -> Recipe:
    from upheld_lab.training.language_model.recipe import Recipe

    usual: dict[str, Any] = {
        "rate": 1e-2,
        "batch": 2,
        "max_tokens": 4_000,
        "rank": 4,
        "checkpoint_steps": 3,
    }
    return Recipe(**{**usual, **other})


def session_examples(count: int, split: Split = Split.TRAIN, word: str = "isle") -> list[Example]:
    return [
        Example(
            short(f"Is {word} {number} large?"),
            as_reply([f"What is the size of {word} {number}?"]),
            "session",
            "decomposition",
            split,
            f"{word} {number}",
            f"{word}/{number}",
        )
        for number in range(count)
    ]


def preferences(count: int) -> list[Preference]:
    """The session with a size is preferred to one without."""
    return [
        Preference(
            short(f"Is isle {number} large?"),
            as_reply([f"What is the size of isle {number}?"]),
            as_reply([f"Who likes isle {number}?"]),
            Split.TRAIN,
            f"isle {number}",
            str(number),
            1,
        )
        for number in range(count)
    ]


if __name__ == "__main__":
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    from upheld_lab.training.fave.data import EXAMPLES
    from upheld_lab.training.fave.train import train_planner

    base, work = map(Path, sys.argv[1:3])
    word = "islet" if sys.argv[3:] else "isle"
    every = [*session_examples(120, word=word), *session_examples(4, Split.DEV, "rock")]
    write_examples(every, work / EXAMPLES)
    train_planner(base, work, work, work / "out", tiny_recipe(), print)
