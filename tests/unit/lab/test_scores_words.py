"""Words against words: every value is worked by hand in a comment beside it."""

from __future__ import annotations

import pytest

from upheld_lab.bench.scores.words import (
    accuracy,
    exact_match,
    list_precision,
    list_recall5,
    says_falsehood,
    says_yes,
    str_em,
    token_f1,
)


@pytest.mark.parametrize(
    ("text", "answers", "right"),
    [
        ("It was built in Paris, France.", ("Paris",), True),
        ("It was built by the Parisians.", ("Paris",), False),  # whole words only
        ("In THE U.S.A. they did.", ("usa", "U.S.A"), True),  # "u s a" is one of the two
        ("Anything at all.", ("The",), False),  # nothing is left of an article
        ("", ("Paris",), False),
        ("Paris", (), False),
    ],
)
def test_accuracy_is_containment_of_whole_words(
    text: str, answers: tuple[str, ...], right: bool
) -> None:
    assert accuracy(text, answers) is right


def test_exact_match_forgives_case_articles_and_punctuation_and_nothing_else() -> None:
    assert exact_match("The Eiffel Tower!", ("eiffel tower",))
    assert not exact_match("It is the Eiffel Tower.", ("Eiffel Tower",))


def test_token_f1() -> None:
    # said: it was built in paris (5); wanted: paris (1); shared 1
    # precision 1/5, recall 1, F1 = 2 x 1/5 x 1 / (6/5) = 1/3
    assert token_f1("It was built in Paris.", ("Paris",)) == pytest.approx(1 / 3)
    # the closest wording counts: 2 x 2 / (2 + 2) for the second, 2 x 1 / (2 + 1) for the first
    assert token_f1("Paris, France", ("Paris", "Paris France")) == 1
    # repeats count as often as they are wanted: 1 shared of 3 said and 1 wanted, 2 / 4
    assert token_f1("Paris Paris Paris", ("Paris",)) == 0.5
    assert token_f1("", ("Paris",)) == 0
    assert token_f1("Rome", ("Paris",)) == 0


PARTS = (("Paris", "City of Light"), ("Lyon",), ("Nice",), ("Metz",))


def test_str_em_is_the_share_of_parts_that_are_there() -> None:
    # Lyon, and Paris by its other wording: 2 of 4
    assert str_em("First Lyon, then the City of Light.", PARTS) == 0.5
    assert str_em("", PARTS) == 0


def test_list_recall_wants_five_at_most() -> None:
    wanted = tuple((name,) for name in ("a1", "b1", "c1", "d1", "e1", "f1", "g1", "h1"))
    assert list_recall5(("a1", "b1"), wanted) == 2 / 5  # 8 are wanted, 5 would do
    assert list_recall5(("a1", "b1", "c1", "d1", "e1", "f1"), wanted) == 1  # 6 count as 5
    assert list_recall5(("It is Lyon.", "Nice"), PARTS) == 2 / 4  # fewer than 5 are wanted
    assert list_recall5((), PARTS) == 0


def test_list_precision_is_the_share_of_items_that_are_wanted() -> None:
    # Lyon and Nice of Lyon, Nice, Rome; the same item twice is two items
    assert list_precision(("Lyon", "Nice", "Rome"), PARTS) == pytest.approx(2 / 3)
    assert list_precision(("Rome", "Rome"), PARTS) == 0
    assert list_precision((), PARTS) == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Yes.", True),
        ("yes", True),
        ("No, it could not.", False),
        ("No – whales are larger.", False),
        ("Yes it is.", True),
        ("So the answer is no.", False),
        ('The answer is "yes".', True),
        ("Whales are mammals. Yes, they breathe air.", True),
        # neither: the word is not the answer
        ("No evidence was found.", None),
        ("No. 5 was the last.", None),
        ("There is no bridge.", None),
        ("Yesterday it was open.", None),
        ("Yes Minister was a comedy.", None),
        ("Whales are mammals.", None),
        ("", None),
        # both
        ("Yes. No, it is not.", None),
    ],
)
def test_yes_and_no_are_read_only_where_they_answer(text: str, said: bool | None) -> None:
    assert says_yes(text) is said


def test_a_falsehood_is_contained_as_whole_words() -> None:
    assert says_falsehood("Rome was first.", ("rome",))
    assert not says_falsehood("Romeo was first.", ("Rome",))
    assert not says_falsehood("Rome was first.", ())
