from __future__ import annotations

import pytest

from upheld.text.short_answers import agree, is_negated, restates, sentence_alone


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("The pier is not open.", True),
        ("The pier isn't open.", True),
        ("The pier isn’t open.", True),
        ("No dogs are allowed.", True),
        ("It has never sailed.", True),
        ("The pier cannot be reached.", True),
        ("The notice is in the north hall.", False),
        ("The knot is undone.", False),
    ],
)
def test_words_of_negation(text: str, negated: bool) -> None:
    assert is_negated(text) is negated


@pytest.mark.parametrize(
    ("answer", "sentence", "same"),
    [
        ("1881", "It opened in 1881.", True),
        ("in 1881", "It opened in 1881.", True),
        ("Ada Holm", "It was built by Ada Holm in 1881.", True),
        ("Holm, Ada", "It was built by Ada Holm.", False),
        ("1882", "It opened in 1881.", False),
        ("188", "It opened in 1881.", False),
        ("Yes", "It opened in 1881.", True),
        ("yes.", "It opened in 1881.", True),
        ("Yes", "It never opened.", False),
        ("No", "It never opened.", True),
        ("safe", "The water is not safe to drink.", False),
        ("2019", "The bridge opened in 1999, not in 2019.", False),
        ("not safe", "The water is not safe to drink.", True),
        ("No", "It opened in 1881.", False),
        ("", "It opened.", False),
        ("…", "It opened.", False),
        ("Yes", "", False),
        ("x " * 60, "x " * 200, False),
    ],
)
def test_a_short_answer_says_what_its_sentence_says(answer: str, sentence: str, same: bool) -> None:
    assert agree(answer, sentence) is same


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("1881: It opened in 1881.", "It opened in 1881."),
        ("Yes: It opened in 1881.", "It opened in 1881."),
        ("No: It never opened.", "It never opened."),
        # What would be lost is read with the rest.
        ("No: It opened in 1881.", "No: It opened in 1881."),
        ("1882: It opened in 1881.", "1882: It opened in 1881."),
        ("Yes, it opened in 1881.", "Yes, it opened in 1881."),
        ("Prices: dogs travel free.", "Prices: dogs travel free."),
        ("It opens at 9:30.", "It opens at 9:30."),
        ("Yes: ", "Yes: "),
        ("", ""),
    ],
)
def test_only_what_the_sentence_repeats_is_taken_off(text: str, alone: str) -> None:
    assert sentence_alone(text) == alone


@pytest.mark.parametrize(
    ("question", "sentence", "is_answer"),
    [
        ("Did the museum open in 1881?", "The museum opened in 1881.", True),
        ("Did the museum open in 1881?", "The museum did not open in 1881.", True),
        ("Did Ada Holm write the guide?", "Ada Holm wrote the guide.", True),
        ("Did the museum open in 1882?", "The museum opened in 1881.", False),
        ("Did Ada Holm build the museum?", "Okafor built the museum.", False),
        ("Is the whale in the main hall?", "The museum opened in 1881.", False),
        ("Isn't the museum open?", "The museum is open.", False),
    ],
)
def test_yes_and_no_need_a_sentence_with_all_that_is_asked(
    question: str, sentence: str, is_answer: bool
) -> None:
    assert restates(question, sentence) is is_answer
