"""StrategyQA as people wrote it: yes/no questions, each with the facts that settle it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from upheld_lab.bench.split import Split, split_of_article
from upheld_lab.bench.suites.files import pack_file, whole

FILES = ("b_questions/strategyqa_dev.json.gz", "b_questions/strategyqa_train.json.gz")


@dataclass(frozen=True, slots=True)
class StrategyQuestion:
    """A question about `term`, which is the title of an article."""

    id: str
    term: str
    text: str
    yes: bool
    facts: tuple[str, ...]

    @property
    def split(self) -> Split:
        return split_of_article(self.term)


def read_strategyqa(data: Path) -> list[StrategyQuestion]:
    """All of them: the pack's split rule takes the place of the set's own."""
    return [
        StrategyQuestion(
            row["qid"],
            row["term"],
            row["question"].strip(),
            row["answer"],
            tuple(fact.strip() for fact in row["facts"]),
        )
        for name in FILES
        for row in whole(pack_file(data, name))
    ]
