"""The worked example of docs/verify.md: each planted error is found, and the picture shows it."""

from __future__ import annotations

import asyncio
import html
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from tests.integration.models.shipped_verifier import shipped_verify
from upheld.answer.verdicts import fix_citations
from upheld.check import CheckedAnswer
from upheld.types import Cause, Claim, Support

DRAW = Path(__file__).parents[3] / "scripts" / "draw_verify_example.py"
CORRECT = (
    "The glassworks was founded in 1854 by the widow Clara Whitcombe.",
    "Edwin Marsh, who ran the works after her death, was her nephew.",
    "Visitors can watch glass being blown every day.",
    "The lantern gallery is on the first floor.",
)
WRONG_NUMBER = "At its height it employed 312 people."
WRONG_MARK = "Admission is free of charge for children under fourteen."
CONTRADICTED = "Dogs are allowed in the furnace hall."
INVENTED = "The chandelier was paid for by a Danish sea captain."


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(DRAW))


@pytest.fixture(scope="module")
def checked(script: dict[str, Any]) -> CheckedAnswer:
    async def work() -> CheckedAnswer:
        async with shipped_verify() as stage:
            found: CheckedAnswer = await script["checked_example"](stage)
            return found

    return asyncio.run(work())


@pytest.fixture(scope="module")
def claims(checked: CheckedAnswer) -> dict[str, Claim]:
    return {" ".join(claim.text.split()): claim for claim in checked.claims}


def test_the_example_has_these_sentences(claims: dict[str, Claim]) -> None:
    planted = (WRONG_NUMBER, WRONG_MARK, CONTRADICTED, INVENTED)
    assert sorted(claims) == sorted((*CORRECT, *planted))


@pytest.mark.parametrize("sentence", CORRECT)
def test_what_is_correct_is_supported_by_what_it_cites(
    sentence: str, claims: dict[str, Claim]
) -> None:
    claim = claims[sentence]
    assert claim.verdict.support is Support.SUPPORTED
    assert [each.support for each in claim.citations] == [Support.SUPPORTED]


def test_the_wrong_number_is_found(claims: dict[str, Claim]) -> None:
    verdict = claims[WRONG_NUMBER].verdict
    assert (verdict.support, verdict.cause) == (Support.UNSUPPORTED, Cause.FIGURE_ABSENT)


def test_the_wrong_mark_is_mended(claims: dict[str, Claim], checked: CheckedAnswer) -> None:
    claim = claims[WRONG_MARK]
    first, second, _ = (source.id for source in checked.sources)
    assert claim.verdict.support is Support.SUPPORTED
    assert claim.verdict.cause is Cause.ENTAILED_ELSEWHERE
    assert [each.passage_id for each in claim.citations] == [first]
    [right] = fix_citations(claim).citations
    assert (right.passage_id, right.quote) == (
        second,
        "Children under fourteen are admitted free of charge.",
    )


def test_the_contradicted_sentence_is_found(claims: dict[str, Claim]) -> None:
    assert claims[CONTRADICTED].verdict.support is Support.CONTRADICTED
    [against] = claims[CONTRADICTED].verdict.evidence_against
    assert "not" in against.quote


def test_the_invented_sentence_is_found(claims: dict[str, Claim]) -> None:
    assert claims[INVENTED].verdict.support is Support.UNSUPPORTED


def test_the_picture_in_the_docs_is_what_is_drawn_now(
    script: dict[str, Any], checked: CheckedAnswer
) -> None:
    picture: Path = script["PICTURE"]
    assert picture.exists(), "run: python scripts/draw_verify_example.py"
    assert shown(picture.read_text(encoding="utf-8")) == shown(script["draw"](checked))


def shown(picture: str) -> str:
    """The words of a picture; probabilities are left out, which int8 makes differ by processor."""
    pieces = re.findall(r"<text[^>]*>(.*?)</text>", picture, re.DOTALL)
    words = " ".join(" ".join(map(html.unescape, pieces)).split())
    return re.sub(r"\b[01]\.\d\d\b", "", words)
