"""`answer_tokens`: a bound on answers that ends a claim before it cuts the JSON around it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from pydantic import BaseModel

from tests.messages import only_says
from tests.unit.fake_kb import QUESTION, kb
from tests.unit.generation.test_write import ASK, FIRST, evidence
from upheld.edge.openai.strict_schema import strict_schema
from upheld.errors import SettingsError
from upheld.generation.write import Claims, WriteClaims, claims_about, claims_within
from upheld.ports import Message
from upheld.settings import load_settings
from upheld_lab.testing.fake_llm import FakeLLM, Line


def bounds(output: type[Claims]) -> tuple[int, int]:
    """Of the schema: claims, and characters of a claim."""
    schema = strict_schema(output)
    claims = schema["properties"]["claims"]["maxItems"]
    return claims, schema["$defs"]["WrittenClaim"]["properties"]["text"]["maxLength"]


@pytest.mark.parametrize(
    ("tokens", "claims", "characters"),
    [
        (720, 4, 300),
        (540, 3, 300),
        (360, 2, 300),
        (359, 1, 300),
        (240, 1, 300),
        (125, 1, 240),
        (65, 1, 60),
    ],
)
def test_claims_become_fewer_and_then_shorter(tokens: int, claims: int, characters: int) -> None:
    assert bounds(claims_within(3, tokens)) == (claims, characters)


def test_the_usual_bound_is_the_usual_schema() -> None:
    assert claims_within(3, 720) is claims_about(3, 4)


async def test_a_short_claim_that_was_cut_off_is_known_by_its_own_bound() -> None:
    cut = f"It opened in 1881. {'It is a very long sentence about whales ' * 9}"[:240]
    llm = FakeLLM([{"claims": [{"sources": [1], "text": cut}]}])
    draft = await WriteClaims(llm=llm, max_tokens=125)(ASK, evidence(FIRST))
    assert [claim.text for claim in draft.claims] == ["It opened in 1881."]
    assert only_says(draft.notes, "cut off", "240")


@pytest.mark.parametrize("method", ["rag", "a2r", "upheld", "cov_rag", "coq", "fave"])
async def test_every_writer_keeps_to_the_setting(tmp_path: Path, method: str) -> None:
    asked: list[tuple[int, int]] = []

    def say(messages: Sequence[Message], output: type[BaseModel] | None) -> Line:
        assert output is not None
        if issubclass(output, Claims):
            asked.append(bounds(output))
            return {"claims": [{"sources": [1], "text": "Zebras graze near the quarry."}]}
        return {"questions": [QUESTION], "done": False, "question": QUESTION, "serves": ["yes"]}

    async with await kb(tmp_path, say, answer_tokens=80) as opened:
        await opened.ask(QUESTION, method=method)
    assert set(asked) == {(1, 240)}


@pytest.mark.parametrize(
    ("given", "claims", "wanted"),
    [({}, 10, "in detail"), ({"detailed": False}, 4, "One to three claims")],
)
async def test_the_first_answer_of_a2r_is_detailed(
    tmp_path: Path, given: dict[str, bool], claims: int, wanted: str
) -> None:
    """Table 1 asks for a detailed answer; the longest that the paper prints has ten sentences."""
    asked: list[tuple[str, int]] = []

    def say(messages: Sequence[Message], output: type[BaseModel] | None) -> Line:
        assert output is not None
        if issubclass(output, Claims):
            asked.append((messages[0].content, bounds(output)[0]))
            return {"claims": [{"sources": [1], "text": "Zebras graze near the quarry."}]}
        return {"advice": ["Say what the passage says."] * 4}

    async with await kb(tmp_path, say) as opened:
        await opened.ask(QUESTION, method="a2r", parameters=given, preset="paper")
    assert len(asked) > 2  # written, refined, and the final answer: one opening for all
    assert {count for _, count in asked} == {claims}
    (rules,) = {rules for rules, _ in asked}
    assert wanted in rules


async def test_the_pipeline_names_an_unusual_bound(tmp_path: Path) -> None:
    assert load_settings().setup.endswith("5 passages")
    assert load_settings(answer_tokens=80).setup.endswith("5 passages, 80 tokens")


def test_a_bound_in_which_nothing_can_be_said_is_refused() -> None:
    with pytest.raises(SettingsError, match="answer_tokens"):
        load_settings(answer_tokens=5)
