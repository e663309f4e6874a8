"""Windows: on sentence borders, within the room, with nothing left out."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from upheld.text.sentences import sentence_spans
from upheld.text.windows import pieces, windows
from upheld.types import Passage
from upheld.verification.source import Source


def count(text: str) -> int:
    return len(text.split())


def characters(text: str) -> int:
    return len("".join(text.split()))


def source(text: str, title: str = "", headings: tuple[str, ...] = ()) -> Source:
    return Source(Passage("p", text, "d", "v", 0, len(text), title, heading_path=headings))


@pytest.mark.parametrize(
    ("sizes", "room", "expected"),
    [
        ([], 8, []),
        ([3], 8, [(0, 1)]),
        ([4, 4, 4, 4], 8, [(0, 2), (1, 3), (2, 4)]),
        ([4, 4, 8, 4], 8, [(0, 2), (2, 3), (3, 4)]),  # no room for a shared sentence
        ([2, 2, 2, 2, 2], 6, [(0, 3), (2, 5)]),
        ([9, 9], 8, [(0, 1), (1, 2)]),
    ],
)
def test_windows_share_one_sentence(
    sizes: list[int], room: int, expected: list[tuple[int, int]]
) -> None:
    assert windows(sizes, room) == expected


@given(st.lists(st.integers(1, 12)), st.integers(1, 20))
def test_windows_cover_everything_in_order_and_fit(sizes: list[int], room: int) -> None:
    found = windows(sizes, room)
    assert {at for first, last in found for at in range(first, last)} == set(range(len(sizes)))
    for first, last in found:
        assert sum(sizes[first:last]) <= room or last - first == 1
    for (one, one_end), (other, other_end) in pairwise(found):
        assert one < other <= one_end < other_end


@given(st.text(max_size=300), st.integers(1, 10), st.sampled_from([count, characters]))
def test_pieces_fit_and_lose_nothing(text: str, room: int, counter: object) -> None:
    measure = count if counter is count else characters
    spans = sentence_spans(text)
    found = pieces(text, spans, room, measure)
    assert all(measure(text[start:end]) <= room for start, end in found)
    kept = "".join("".join(text[start:end].split()) for start, end in found)
    assert kept == "".join("".join(text[start:end].split()) for start, end in spans)


@given(
    st.lists(
        st.sampled_from(["The tower is tall.", "It is old!", "word " * 40 + "end.", "x" * 90])
    ),
    st.integers(12, 60),
)
def test_every_sentence_of_a_source_is_in_a_window(sentences: list[str], room: int) -> None:
    text = "\n\n".join(sentences)
    made = source(text, title="A title of some words", headings=("One", "Two"))
    found = made.windows(room, count)
    assert all(count(premise.text) <= room for premise in found)
    together = " ".join(premise.text for premise in found).split()
    assert set(text.split()) <= set(together)


def test_title_and_headings_stand_in_every_window() -> None:
    made = source("The tower is tall. " * 20, "Towers", ("Europe", "France"))
    found = made.windows(30, count)
    assert len(found) > 1
    assert all(each.text.startswith("Towers\nEurope > France\n") for each in found)


def test_headings_that_crowd_the_text_go_outer_first() -> None:
    made = source("The tower is tall.", "Towers", ("of all the many countries", "France"))
    assert made.windows(12, count)[0].text.startswith("Towers\nFrance\n")
    assert made.windows(5, count)[0].text == "Towers\nThe tower is tall."
    long = source("The tower is tall.", "A title that is far too long to stand here")
    assert long.windows(12, count)[0].text == "The tower is tall."


def test_gathered_takes_what_shares_most_in_the_order_of_the_text() -> None:
    text = "The keeper is Bell. " + "Gulls are birds. " * 50 + "The keeper was born in Ayr."
    gathered = source(text).gathered("Bell, the keeper, was born in Ayr.", 10, count)
    assert gathered.text == "The keeper is Bell. The keeper was born in Ayr."


def test_gathered_keeps_within_its_room() -> None:
    gathered = source("The tower is tall. " * 50, "Towers").gathered(
        "The tower is tall.", 11, count
    )
    assert 0 < count(gathered.text) <= 11


@pytest.mark.parametrize("room", [-16, 0, 1])
def test_no_room_is_no_reason_to_go_on_for_ever(room: int) -> None:
    made = source("The tower is tall.", "Towers", ("Europe",))
    assert "".join(each.text for each in made.windows(room, characters)).startswith("T")
