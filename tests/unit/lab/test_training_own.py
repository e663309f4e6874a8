"""Your own questions as rows for the grader and pairs for the verifier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.unit.lab.lighthouses import NAMES, Lighthouses, built, keeper
from upheld.errors import UsageError
from upheld_lab.bench.split import SIDES, Split, split_of_article
from upheld_lab.bench.verify.labels import Label
from upheld_lab.cli.train import app
from upheld_lab.training.own import grader_feeds, verifier_pairs
from upheld_lab.training.sources import GoldQuestion


def names_of(side: Split) -> set[str]:
    return {name for name in NAMES if split_of_article(f"Lighthouse of {name}") is side}


async def test_gold_helps_and_what_is_found_besides_does_not() -> None:
    for side, fed in zip(SIDES, await grader_feeds(Lighthouses()), strict=True):
        assert fed.questions == {"own": 2 * len(names_of(side))}  # the third has no answer
        assert {row.helps for row in fed.examples} == {True, False}
        for row in fed.examples:
            (name,) = (each for each in NAMES if f"of {each}" in row.text.splitlines()[0])
            assert name in names_of(side)  # no passage of another side
            answer = keeper(name) if "keeper" in row.question else built(name)
            assert row.helps == (name in row.question and answer in row.text)


async def test_answers_are_claims_and_other_answers_are_not_entailed() -> None:
    for side, pairs in zip(SIDES, await verifier_pairs(Lighthouses()), strict=True):
        assert {pair.document for pair in pairs} == {
            f"lighthouse of {name.lower()}" for name in names_of(side)
        }
        entailed = [pair for pair in pairs if pair.label is Label.ENTAILS]
        assert len(entailed) == 2 * len(names_of(side))
        for pair in entailed:
            (name,) = (each for each in NAMES if f"Lighthouse of {each}\n" in pair.premise)
            assert built(name) in pair.claim or "keeper" in pair.claim
        for pair in pairs:
            if pair.label is Label.NEUTRAL:
                answer = pair.claim.rsplit(" ", 1)[-1].rstrip(".")
                assert answer not in pair.premise


async def test_a_side_without_questions_is_reported() -> None:
    class Unanswered(Lighthouses):
        async def questions(self, sides: Sequence[Split] = SIDES) -> list[GoldQuestion]:
            return [replace(each, gold=frozenset()) for each in await super().questions(sides)]

    with pytest.raises(UsageError, match="No question"):
        await verifier_pairs(Unanswered())


def test_the_command_line_wants_the_pack_or_your_lines(tmp_path: Path) -> None:
    folders = [f"--{name}={tmp_path}" for name in ("base", "work", "out")]
    result = CliRunner().invoke(app, ["verifier", *folders])
    assert isinstance(result.exception, UsageError)
