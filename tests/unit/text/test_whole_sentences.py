"""No sentence is cut in its middle: half of one can say the opposite of the whole."""

from __future__ import annotations

import pytest

from upheld.text.sentences import begins_midway, ends_midway, sentences


def flat(text: str) -> list[str]:
    return [" ".join(each.split()) for each in sentences(text)]


@pytest.mark.parametrize(
    "whole",
    [
        "The `VACUUM FULL` command\n`cannot` be run inside a transaction block.",
        # a code span over lines, as converters write it
        "With changes in the tree, ```\ngit\nsubmodule update\n```\n will not overwrite them.",
        # code that is set apart in the middle of the sentence
        "The seemingly easier\n\nSELECT size(name)\nFROM tables WHERE ...\n\nis *not* recommended.",
        "I believe this union:\n```\nselect union(a, b);\n```\ndoes not contradict common sense.",
        "You can replace the most recent commit using\n\nwhich will replace the old commit.",
        "The output has the form: <path> SP <info> LF\n\nunless `-z` is in effect.",
        # ends that are none
        "The factorial operator returns an integer when N! is sufficiently small.",
        "For help on a topic, type help ? to get a menu of topics.",
        "Sometimes the thing fixed in b.2. cannot be amended to the commit it fixes.",
        "The URL http://a.b/c. cannot be used as a name.",
        "Use VACUUM, e.g. on Sundays, i.e. when it cannot wait, as of version 9.6. only.",
        "The file pg_hba.conf cannot be empty.",
    ],
)
def test_a_sentence_stays_whole(whole: str) -> None:
    text = f"It was changed in 9.6. Nobody noticed.\n\n{whole} This is another one.\n\nAnd more."
    found = flat(text)
    assert " ".join(whole.split()) in found
    assert found[-2:] == ["This is another one.", "And more."]
    assert found[:2] == ["It was changed in 9.6.", "Nobody noticed."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # what begins with a name in lower case is a sentence of its own
        ("It is slow. pg_dump is fast. git will exit.", 3),
        ("It is slow.\n\npg_dump is fast.", 2),
        # a text without capitals is not one endless sentence
        ("it opens at nine. the gate is closed. if it rains, stay in.", 3),
        ("it opens at nine.\n\nthe gate is closed.", 2),
        # list items, headings and rows of tables stand alone
        ("- `-q`\n- do not display messages.", 2),
        ("# install\nto install it, run make.", 2),
        ("| a | b |\n\nwhich is a table.", 2),
        (
            "Run this:\n```\ngit fetch\n```\nThen look.",
            ["Run this:", "```", "git fetch", "```", "Then look."],
        ),
    ],
)
def test_what_stands_alone_is_not_joined(text: str, expected: list[str] | int) -> None:
    found = flat(text)
    assert len(found) == expected if isinstance(expected, int) else found == expected


def test_far_away_halves_are_not_joined() -> None:
    text = "The command\n\n" + "x = 1\n" * 1_000 + "\ncannot be run."
    assert flat(text)[-1] == "cannot be run."


@pytest.mark.parametrize(
    "half", ["cannot be run.", "`cannot` be run.", ", except that it is.", "which is new."]
)
def test_the_middle_of_a_sentence_is_seen(half: str) -> None:
    assert begins_midway(half)


@pytest.mark.parametrize(
    "whole", ["Cannot be run.", "no-done removes it.", "git is fast.", "1. do it", ""]
)
def test_the_beginning_of_a_sentence_is_seen(whole: str) -> None:
    assert not begins_midway(whole)


@pytest.mark.parametrize(
    "half", ["You cannot", "It is **not**", "replace it using", "For example,"]
)
def test_a_sentence_that_leads_on_is_seen(half: str) -> None:
    assert ends_midway(half)


@pytest.mark.parametrize("whole", ["It can.", "Log in", "Opening hours", "vitamin A", "", "THE"])
def test_a_sentence_that_ends_is_seen(whole: str) -> None:
    assert not ends_midway(whole)
