"""The first rung: a quote counts only as whole sentences that the source says itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from upheld.text.sentences import sentences
from upheld.types import Passage
from upheld.verification.exact_quote import find_quote, quotable


def passage(text: str, title: str = "", *headings: str) -> Passage:
    return Passage("p", text, "d", "v", 0, len(text), title, heading_path=headings)


def found(claim: str, source: Passage) -> str | None:
    where = find_quote(claim, quotable(source))
    return None if where is None else source.text[slice(*where)]


@pytest.mark.parametrize(
    ("claim", "text", "quote"),
    [
        ("The earth is flat.", "Listen. The earth is flat. Yes.", "The earth is flat."),
        ("the earth  is flat", "The earth\nis flat.", "The earth\nis flat."),
        ("“The earth is flat.”", "The earth is flat.", "The earth is flat."),
        ("It’s flat – they say so.", "It's flat - they say so.", "It's flat - they say so."),
        ("- **The earth** is flat [1].", "The earth is flat.", "The earth is flat."),
        ("The ear\u00adth is flat.", "The earth is flat.", "The earth is flat."),
        (
            "The earth is flat. The moon is round.",
            "The earth is flat. The moon is round. Yes.",
            "The earth is flat. The moon is round.",
        ),
        ("地球は平らである。", "昔の話。地球は平らである。", "地球は平らである。"),
        (
            "The earth is flat.",
            "- The earth is flat.\n- The moon is round.",
            "- The earth is flat.",
        ),
        ("The earth is flat.", "# Shapes\nThe earth is flat.", "The earth is flat."),
        ("He met Dr. Bell at noon.", "He met Dr. Bell at noon.", "He met Dr. Bell at noon."),
        ("THE EARTH IS FLAT.", "THE EARTH IS FLAT.", "THE EARTH IS FLAT."),
        ("it opened. The moon is round.", "It opened. The moon is round.", None),
        ("The laser emits 5 mW.", "The laser emits 5 mW.", "The laser emits 5 mW."),
        ("A kibibyte is 2**10 bytes.", "A kibibyte is 2**10 bytes.", "A kibibyte is 2**10 bytes."),
        ("It is ***very*** flat.", "It is very flat.", "It is very flat."),
        ("argv[0] is the program.", "argv[0] is the program.", "argv[0] is the program."),
        ("Use *COUNT* or `count(*)` here.", "Use COUNT or count(*) here.", None),
    ],
)
def test_whole_sentences_are_quotes(claim: str, text: str, quote: str | None) -> None:
    assert found(claim, passage(text)) == (quote or text)


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("The earth is flat.", "It is false that the earth is flat."),
        ("It is false that the earth is flat.", "The earth is flat."),
        ("The earth is flat.", "The earth is flat, some say."),
        ("The earth is flat.", "The earth is flat?"),
        ("The earth is flat.", "He wrote: “I have seen it. The earth is flat. I swear.”"),
        ("The earth is flat.", 'He wrote: "I have seen it. The earth is flat. I swear."'),
        ("The earth is flat.", "“The earth is flat.”"),
        (
            "The earth is flat.",
            "These claims are wrong:\n\n- The moon is square.\n- The earth is flat.",
        ),
        ("The earth is flat.", "Do not believe this:\n\nThe earth is flat."),
        ("The earth is flat.", "The earth is flat. That is not true."),
        ("The earth is flat.", "The earth is flat. However, this has been debunked."),
        ("The earth is flat.", "The earth is flat.\n\nThis is false."),
        ("The earth is flat.", "# Common myths\nThe earth is flat."),
        ("No, it is.", "No. It is."),
        ("No, never.", "No, never."),
        ("Yes.", "Yes."),
        ("The earth is flat. The moon is round.", "The earth is flat. Or so. The moon is round."),
        ("The earth is flat. The moon is round.", "The earth is flat.\n\nThe moon is round."),
        ("10 metres is high.", "1O metres is high."),
        ("The laser emits 5 MW.", "The laser emits 5 mW."),
        ("They told the US press.", "They told the us press."),
        ("A kibibyte is 210 bytes.", "A kibibyte is 2**10 bytes."),
        ("argv[1] is the program.", "argv[0] is the program."),
        ("The value ARRAY[1,2] is an array.", "The value ARRAY[3,4] is an array."),
        ("The cell is grid[0][1] here.", "The cell is grid[0][2] here."),
        ("It deletes *.log files at night.", "It deletes .log files at night."),
        ("COUNT(*) gives the number of rows.", "COUNT() gives the number of rows."),
        ("It removes all of /tmp/* at night.", "It removes all of /tmp/ at night."),
        ("The job runs at */5 in cron.", "The job runs at /5 in cron."),
        ("-D deletes the branch at once.", "-d deletes the branch at once."),
        ("The link carries 10 GBps.", "The link carries 10 Gbps."),
        ("The power is this: MW are needed.", "The power is this: mW are needed."),
        ("The tower is 10² m high.", "The tower is 102 m high."),
        ("The \u202eearth is flat.", "The earth is flat."),
        # half of a sentence, cut at code or at a line
        ("With VACUUM FULL it runs", "With `VACUUM FULL` it runs\n\nunless you are in a block."),
        ("VACUUM FULL in a block", "The command\n\nVACUUM FULL in a block\n\ncannot be run."),
        ("If so, git update", "If so, ```\ngit\nupdate\n```\n will not overwrite them."),
        ("cannot be run in a block.", "See above.\n\ncannot be run in a block."),
        ("Run VACUUM in a block", "You cannot\n\n- Run VACUUM in a block\n- Undo it"),
        ("It is open", "It is open except on Mondays."),
        ("The earth is flat.", ""),
        ("", "The earth is flat."),
        ("...", "..."),
    ],
)
def test_what_only_looks_like_a_quote_is_none(claim: str, text: str) -> None:
    assert found(claim, passage(text)) is None


def test_titles_and_headings_that_cast_doubt_count() -> None:
    text = "The earth is flat."
    assert found(text, passage(text, "Shapes"))
    assert found(text, passage(text, "Myths of the world")) is None
    assert found(text, passage(text, "Shapes", "Earth", "What is wrong")) is None


WORDS = st.lists(
    st.sampled_from(
        ["the", "old", "tower", "stands", "high", "above", "grey", "sea", "and", "falls"]
    ),
    min_size=4,
    max_size=8,
)


@given(st.lists(WORDS, min_size=1, max_size=5), st.data())
def test_every_plain_sentence_quotes_itself_and_no_part_of_it_does(
    drawn: list[list[str]], data: st.DataObject
) -> None:
    text = " ".join(f"{' '.join(words).capitalize()}." for words in drawn)
    whole = sentences(text)
    claim = data.draw(st.sampled_from(whole))
    assert found(claim, passage(text)) is not None
    part = " ".join(claim.split()[1:])
    others = {" ".join(sentence.casefold().split()) for sentence in whole}
    if part.casefold() not in others:
        assert found(part, passage(text)) is None
