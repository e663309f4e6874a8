"""Figures of one row of a table do not support a claim about another."""

from __future__ import annotations

import pytest

from upheld.text.sentences import sentence_spans
from upheld.types import Cause, Passage
from upheld.verification.rules import ConsistencyRules
from upheld.verification.source import Part, Premise, Source
from upheld.verification.table_rows import other_rows, table_rows

BARS = """\
# Pumps

| Model | Maximum head | Power |
|---|---|---|
| P40 | 44 m | 750 W |
| P60 | 61 m | 1,100 W |

Both have a cable of 15 m.
"""
NAMED = """\
| Part: Shaft seal; Number: AQ-1300; Price: 18.50 EUR |
| Part: Filter; Number: AQ-1400; Price: 7.90 EUR |
"""


def vetoed(claim: str, text: str) -> bool:
    source = Source(Passage("p", text, "d", "v", 0, len(text)))
    premise = Premise(text, (Part(source, ((0, len(text)),)),))
    veto = ConsistencyRules()(claim, premise)
    assert veto is None or veto.cause is Cause.FIGURE_ABSENT
    return veto is not None and veto.of_other_row


@pytest.mark.parametrize(
    ("claim", "text", "stopped"),
    [
        ("The P40 has a maximum head of 61 m.", BARS, True),
        ("The P60 has a maximum head of 61 m.", BARS, False),
        ("The P60 has a head of 61 m, the P40 one of 44 m.", BARS, False),
        ("The P40 has a cable of 15 m.", BARS, False),  # it stands outside of the table
        ("The largest head is 61 m.", BARS, False),  # it names no row
        ("The shaft seal costs 7.90 EUR.", NAMED, True),
        ("The filter costs 7.90 EUR.", NAMED, False),
    ],
)
def test_a_claim_takes_figures_from_the_row_that_it_names(
    claim: str, text: str, stopped: bool
) -> None:
    assert vetoed(claim, text) is stopped


def test_tables_are_apart_and_numbers_name_no_row() -> None:
    text = "| 2022 | 81 |\n| 2023 | 54 |\n\nThen:\n\n| Ada | 5 |\n| Bo | 6 |\n"
    rows = table_rows(text, sentence_spans(text))
    assert [(row.table, bool(row.label)) for row in rows] == [
        (0, False),
        (0, False),
        (1, True),
        (1, True),
    ]
    assert other_rows("Ada had 81 in 2022.", rows) == ["Bo | 6"]


def test_a_row_that_is_part_of_another_name_is_named_too() -> None:
    text = "| Shipping | 5 EUR |\n| Express shipping | 12 EUR |\n"
    rows = table_rows(text, sentence_spans(text))
    assert other_rows("Shipping by express costs 12 EUR.", rows) == []
