"""A claim is read by the model in its premise's notation, where the values are the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.verification.test_verify import checked, passage
from upheld.text.notation import in_notation_of
from upheld.verification.verify import Verify
from upheld_lab.testing.fake_entailment import FakeEntailment


@pytest.mark.parametrize(
    ("premise", "claim", "read"),
    [
        ("2,340 came.", "In all 2340 came.", "In all 2,340 came."),
        ("It cost 2m pounds.", "It cost two million pounds.", "It cost 2m pounds."),
        ("Twenty-one left.", "21 boats left.", "Twenty-one boats left."),
        ("Closed on 2020-05-05.", "Closed on 5 May 2020.", "Closed on 2020-05-05."),
        ("Closed on May 5, 2020.", "Closed on 2020-05-05.", "Closed on May 5, 2020."),
        ("It opens at 15:00.", "It opens at 3 pm.", "It opens at 15:00."),
        ("It opens at 12 pm.", "It opens at 12:00.", "It opens at 12 pm."),
    ],
)
def test_the_premises_spelling_is_taken(premise: str, claim: str, read: str) -> None:
    assert in_notation_of(premise, claim) == read


@pytest.mark.parametrize(
    ("premise", "claim"),
    [
        ("2,430 came.", "2340 came."),
        ("It opens at 15:30.", "It opens at 3 pm."),
        ("It opens at 10:30.", "It opens at 10."),
        ("It grew by five per cent.", "It grew by 5%."),
        ("In May 2020, 5 men came.", "On 2020-05-05 they came."),
        ("In 1914-18 it stood.", "It stood from 1914 to 1918."),
        ("It closed in 1994.", "It closed in the 1990s."),
        ("2,340 came, that is 2340.", "2340 came."),
        ("A tower fell.", "One of the towers fell."),
    ],
)
def test_all_else_stays(premise: str, claim: str) -> None:
    assert in_notation_of(premise, claim) == claim


@given(st.text(max_size=100))
def test_a_text_is_in_its_own_notation(text: str) -> None:
    assert in_notation_of(text, text) == text


async def test_only_the_model_reads_it_so() -> None:
    source = passage("fair", "The fair had 2,340 visitors in spring.")
    model = FakeEntailment()
    stage = Verify(model=model)
    found = await checked("The fair had 2340 visitors.", source, passages=[source], stage=stage)
    assert {pair.claim for call in model.asked for pair in call if "fair" in pair.premise} == {
        "The fair had 2,340 visitors."
    }
    assert found.text == "The fair had 2340 visitors."
