"""The value of a sentence that a question asks for, and when there is none."""

from __future__ import annotations

import pytest

from upheld.text.asked_value import asked_value


@pytest.mark.parametrize(
    ("question", "sentence", "value"),
    [
        ("How many guests fit in?", "The hall has room for 240 guests.", "240"),
        ("How big is the cache?", "The default is 64 megabytes (64MB).", "64 megabytes"),
        ("How long are logs kept?", "Up to 5 logs are kept for 30 days.", "30 days"),
        ("When did the mill open?", "The mill opened on 3 May 1912.", "3 May 1912"),
        ("In which year did it burn?", "It burnt down in 1931.", "1931"),
        ("Who built the bridge?", "The bridge was built by Anna Lund, an engineer.", "Anna Lund"),
        ("Which option makes it quiet?", "With `--quiet`, nothing is printed.", "--quiet"),
        ("Which file has the keys?", "Keys are in /etc/mill/keys.conf.", "/etc/mill/keys.conf"),
    ],
)
def test_the_value_is_found_as_the_sentence_spells_it(
    question: str, sentence: str, value: str
) -> None:
    assert asked_value(question, sentence) == value


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("How many guests fit in?", "The hall seats 240, the gallery 60."),  # two numbers
        ("How many of the 240 seats are left?", "All 240 seats are taken."),  # only the asked one
        ("How long are logs kept?", "Up to 5 logs are kept."),  # a number, but no duration
        ("Who built the bridge?", "Anna Lund and Per Holm built the bridge."),  # two names
        ("Who bought the mill?", "The mill was bought from the Marsh family."),
        ("Where is the mill?", "The mill stands in Aarby."),  # places are not certain enough
        ("Why did the mill close?", "It closed in 1931."),  # nothing definite is asked for
        ("Which option makes it quiet?", "`--quiet` or `--silent`."),
    ],
)
def test_where_it_is_unsure_there_is_none(question: str, sentence: str) -> None:
    assert asked_value(question, sentence) is None
