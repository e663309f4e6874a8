"""Sentences of an answer: exact places, marks as numbers, and what needs no check."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from upheld.types import Cause, Passage
from upheld.verification.checkworthy import is_reference, not_checkworthy, titles_of
from upheld.verification.claims import split_answer, spoken


def said(answer: str) -> list[tuple[str, tuple[int, ...]]]:
    return [(sentence.text, sentence.marks) for sentence in split_answer(answer)]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("One is here. [1]", [("One is here.", (1,))]),
        ("One is here [1]. Two too.[2][3]", [("One is here [1].", (1,)), ("Two too.", (2, 3))]),
        (
            "One is here. [1, 2] Two is there. [2-4]",
            [("One is here.", (1, 2)), ("Two is there.", (2, 3, 4))],
        ),
        ("The fact (see [2]) holds. [1]", [("The fact (see [2]) holds.", (2, 1))]),
        ("- first item [1]\n- second item\n[2]", [("- first item", (1,)), ("- second item", (2,))]),
        ("One is here.\n[2] Two is there.", [("One is here.", ()), ("Two is there.", (2,))]),
        ("[1] opens the answer.", [("opens the answer.", (1,))]),
        ("In [2024] and a[i] nothing is cited.", [("In [2024] and a[i] nothing is cited.", ())]),
        ("Twice the same. [1][1]", [("Twice the same.", (1,))]),
        ("A range that is none. [3-900]", [("A range that is none.", (3, 900))]),
        ("[1]", []),
        ("", []),
    ],
)
def test_marks_belong_to_the_sentence_before_them(
    answer: str, expected: list[tuple[str, tuple[int, ...]]]
) -> None:
    assert said(answer) == expected


PIECES = st.sampled_from(
    ["The tower is tall.", "It cost 3.5 million", "Why?", "[1]", "[2][3]", "[1, 4]", " ", "\n",
     "\n\n", "- ", "# Title", "Dr. Who", "“Yes,” she said.", "日本語です。", "[x]", "…", "\t", "  "]
)  # fmt: skip


@given(st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=20).map("".join)))
def test_offsets_are_exact_and_in_order(answer: str) -> None:
    end = 0
    for sentence in split_answer(answer):
        assert answer[sentence.start : sentence.end] == sentence.text
        assert sentence.start >= end
        assert sentence.text == sentence.text.strip()
        end = sentence.end


@given(st.lists(PIECES, max_size=20).map("".join))
def test_nothing_but_marks_and_space_is_left_out(answer: str) -> None:
    kept = "".join(sentence.text for sentence in split_answer(answer))
    marks = ("[1]", "[2][3]", "[1, 4]")

    def bare(text: str) -> str:
        for mark in marks:
            text = text.replace(mark, "")
        return "".join(text.split())

    assert bare(kept) == bare(answer)


def test_spoken_has_no_marks_bullets_or_emphasis() -> None:
    assert spoken("- **The tower** is [1] _very_\n`tall` [2].") == "The tower is very tall."
    assert spoken("1. snake_case stays 2*3") == "snake_case stays 2*3"


def test_the_lines_of_a_list_of_sources_are_told_apart() -> None:
    answer = "The tower is tall. [1]\n\nSources:\n[1] Towers of the world\n[2] Notes. More."
    sentences = split_answer(answer)
    assert [(each.text, each.entry) for each in sentences] == [
        ("The tower is tall.", ""),
        ("Sources:", "Sources:"),
        ("Towers of the world", "Towers of the world"),
        ("Notes.", "Notes. More."),
        ("More.", "Notes. More."),
    ]
    assert [each.marks for each in sentences] == [(1,), (), (1,), (2,), ()]


TITLES = titles_of([Passage("p", "", "d", "v", 0, 0, "The moon is round", "/docs/moon-2024.pdf")])


@pytest.mark.parametrize(
    "line",
    [
        "Sources:",
        "## References",
        "[1]",
        "- [1] Harbour notes",
        "1. Towers of the world",
        "[1] The moon is round",
        "[1] “The moon is round”, p. 12",
        "[2] moon-2024.pdf",
        "[2] The moon is round (/docs/moon-2024.pdf), pp. 3-5.",
        "* https://example.org/a?b=c",
        "[3] Harbour notes <https://example.org/the-moon-is-cheese>",
    ],
)
def test_marks_titles_and_addresses_are_references(line: str) -> None:
    assert is_reference(line, TITLES)


@pytest.mark.parametrize(
    "line",
    [
        "[1] The moon is made of cheese.",
        "[1] The moon is round and made of cheese",
        "[1] https://example.org The harbour closed in March",
        "[1] Harbour notes. It never opened.",
        "[1] Founded in 1871",
        "- Entry is free",
        "x" * 1_000,
    ],
)
def test_a_claim_cannot_hide_in_a_list_of_sources(line: str) -> None:
    assert not is_reference(line, TITLES)


@pytest.mark.parametrize(
    ("sentence", "cause"),
    [
        ("What is the height?", Cause.QUESTION),
        ("“Is it so?”", Cause.QUESTION),
        ("Hello!", Cause.GREETING),
        ("Great question!", Cause.GREETING),
        ("Thank you very much for asking.", Cause.GREETING),
        ("## The harbour", Cause.HEADING),
        ("**Key facts**", Cause.HEADING),
        ("## Opening Hours", Cause.HEADING),
        ("# History of the harbour", Cause.HEADING),
        ("**Fares & timetable**", Cause.HEADING),
        ("**Summary:**", Cause.HEADING),
        ("For example:", Cause.HEADING),
        ("Here are the details:", Cause.META),
        ("Here is a short summary of the documents:", Cause.META),
        ("There is not enough information to answer this question.", Cause.META),
        ("The documents do not contain any information about the fire.", Cause.META),
        ("The documents do not answer this question.", Cause.META),
        ("The provided sources don't mention the height.", Cause.META),
        ("There is no information about the harbour.", Cause.META),
        ("I'm not sure.", Cause.HEDGE),
        ("I could not find an answer.", Cause.HEDGE),
        ("I could not find an answer to your question in the documents.", Cause.HEDGE),
        ("I cannot answer that question.", Cause.HEDGE),
        ("Please consult a professional.", Cause.HEDGE),
        ("Let me know if you have any other questions!", Cause.HEDGE),
        ("I hope this helps!", Cause.HEDGE),
        ("Hello! How are you?", Cause.GREETING),
        ("—", Cause.NO_WORDS),
        ("", Cause.NO_WORDS),
    ],
)
def test_what_needs_no_check_says_why(sentence: str, cause: Cause) -> None:
    assert not_checkworthy(sentence) is cause


@pytest.mark.parametrize(
    "sentence",
    [
        "The tower is tall.",
        "The tower is 50 m tall. Did you know that?",
        "Hello! The tower is tall.",
        "Yes.",
        "Height: 50 m",
        "I think that the tower is 50 m tall.",
        "I am sure that the tower is tall.",
        "The documents do not say when, but the tower was built by Bell.",
        "The documents do not mention it; the tower is tall.",
        "The sources do not mention the fire of 1899.",
        "Thanks to the bridge, trade doubled.",
        "Hello Kitty is a cat.",
        "# The moon is made of cheese.",
        "# " + "a long heading that says a great deal about the moon and its green cheese",
        "The tower has 50 steps:",
        "- Paris, the capital",
        "**The tower is 500 m high**",
        "# The mayor took bribes",
        "# Vaccines kill",
        "# Prices doubled",
        "# Mayor in prison",
        "**Mayor: corrupt**",
        "**1869**",
        "**No**",
        "The vaccine causes autism:",
        "The mayor lied:",
        "I cannot confirm that the mayor took bribes from Acme.",
        "I cannot confirm the mayor took bribes.",
        "I don't know why the mayor took bribes.",
        "I'm sorry, the mayor lied.",
        "Let me know if the mayor took bribes.",
        "Let me know if you want proof that he lied.",
        "Please note that the bridge is unsafe.",
        "The documents do not mention that the mayor was convicted.",
        "The documents do not mention the mayor's conviction.",
        "There is no information that he lied.",
        "Here is the answer the mayor lied.",
    ],
)
def test_what_says_something_must_be_checked(sentence: str) -> None:
    assert not_checkworthy(sentence) is None


def test_a_mark_after_a_full_stop_ends_the_sentence_whatever_the_splitter_thinks() -> None:
    one, two = split_answer("Entry is free. [2] Glass is blown every day. [1]")
    assert (one.text, one.marks) == ("Entry is free.", (2,))
    assert (two.text, two.marks) == ("Glass is blown every day.", (1,))
