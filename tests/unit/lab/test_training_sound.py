"""Back-translations that say something else are left out."""

from __future__ import annotations

import pytest

from upheld_lab.training.verifier.sound import sound

FORM = "Most of the {thing} was {done} in {year}."
USUAL = {
    FORM.format(thing=thing, year=1900 + at, done="constructed"): FORM.format(
        thing=thing, year=1900 + at, done="built"
    )
    for at, thing in enumerate(["bridge", "tower", "harbour", "museum", "canal"])
}


def test_a_word_that_replaces_another_in_several_sentences_is_trusted() -> None:
    assert sound(USUAL) == USUAL


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("The old road hooks to the east of town.", "The old road clings to the east of town."),
        ("It was shown in the town hall in May.", "He was shown in the town hall in May."),
        ("The club was based in the old town.", "The club is based in the old town."),
        ("It sold 26,237,562 copies last year.", "It sold 26,237.562 copies last year."),
        ("Lungin was a director of many films.", "Lungin was a Vienna director of many films."),
        ("The hall was not open in the winter.", "The hall was open in the winter."),
        ("It was the largest inland city of the state.", "It was the largest city of the state."),
    ],
)  # fmt: skip
def test_what_says_something_else_is_left_out(one: str, two: str) -> None:
    assert sound({**USUAL, one: two}) == USUAL
