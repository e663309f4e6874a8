"""No text may freeze a process: every function that takes text does so in linear time.

The functions are found in the source (`hostile_functions`), the texts are made to be hard
(`hostile_strings`). The gate bounds the CPU time of each at 20,000 characters; `make test-real`
also bounds its growth, its memory and how long it keeps other threads waiting, at the limits.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from itertools import islice

import pytest

from tests.unit.hostile_functions import CALLS, NO_TEXT_OF_USERS, TextFunction, text_functions
from tests.unit.hostile_measures import cpu, growth, longest_hold, peak_memory
from tests.unit.hostile_strings import Recipe, fixed, of_module, patterns_of
from upheld.text.sentences import sentences

Record = Callable[[str, object], None]

LENGTH = 20_000
SECONDS = 1.0
GROWTH = 2.3  # times the CPU time, for twice the text
HELD = 0.05  # seconds that one call may keep other threads waiting
MOST_OWN = 12  # strings from a module's patterns in the gate; the campaign has all
# Bytes of memory for every character. The most that is held for one is a sentence of its own: its
# place (two numbers and a tuple, 120 bytes) and its terms (a set, and lists by term), 218 bytes in
# all for "中文。"; twice that is room for other versions of Python and of the libraries.
BYTES = 440
# Characters that a function may be given. Parsers of documents run in a child process that is
# killed at a limit, and are slow: they are followed for a shorter while.
LIMIT = 500_000
LIMITS = {
    "upheld.verification.claims": 50_000,
    "upheld.verification.checkworthy": 50_000,
    "upheld.text.notation": 50_000,
    "upheld.planning.facets": 4_000,
    "upheld.ingest.read": 100_000,
}
FUNCTIONS = [each for each in text_functions() if each.call() is not None]


def test_every_function_that_takes_text_is_known() -> None:
    found = text_functions()
    unknown = [
        str(each)
        for each in found
        if each.public and each.call() is None and str(each) not in NO_TEXT_OF_USERS
    ]
    assert not unknown, "say in hostile_functions.py how to call these with a text, or why not"
    gone = {*CALLS, *NO_TEXT_OF_USERS} - {str(each) for each in found}
    assert not gone, "these are no functions any more"
    assert len(FUNCTIONS) > 80


@pytest.mark.parametrize("function", FUNCTIONS, ids=str)
def test_hostile_text_of_20_000_characters_takes_less_than_a_second(function: TextFunction) -> None:
    call = function.call()
    assert call is not None
    some = recipes(function, MOST_OWN)
    slow = {name: took for name, each in some if (took := cpu(call, each.text(LENGTH))) > SECONDS}
    assert not slow


# The largest figure of each function goes into the file of `--junitxml`.
@pytest.mark.campaign
@pytest.mark.parametrize("function", FUNCTIONS, ids=str)
def test_time_grows_as_the_text_does(function: TextFunction, record_property: Record) -> None:
    call = function.call()
    assert call is not None
    limit = limit_of(function)
    seen = {name: growth(call, each.text, limit, GROWTH) for name, each in recipes(function)}
    noticed = {name: each for name, each in seen.items() if each is not None}
    largest = max(noticed, key=lambda name: noticed[name].times, default=None)
    record_property("growth", largest and (noticed[largest].times, largest, noticed[largest]))
    assert not {name: each for name, each in noticed.items() if each.times > GROWTH}


@pytest.mark.campaign
@pytest.mark.alone
@pytest.mark.parametrize("function", FUNCTIONS, ids=str)
def test_no_call_keeps_other_threads_waiting(
    function: TextFunction, record_property: Record
) -> None:
    if function.module.startswith("upheld.ingest.read"):
        return  # in a process of its own
    call = function.call()
    assert call is not None
    limit = limit_of(function)
    held = {name: longest_hold(call, each.text(limit), HELD) for name, each in recipes(function)}
    record_property("held", max((took, name) for name, took in held.items()))
    assert not {name: took for name, took in held.items() if took > HELD}


@pytest.mark.campaign
@pytest.mark.parametrize("function", FUNCTIONS, ids=str)
def test_memory_is_in_proportion_to_the_text(
    function: TextFunction, record_property: Record
) -> None:
    call = function.call()
    assert call is not None
    needs = {
        name: peak_memory(call, each.text(LENGTH)) / LENGTH for name, each in recipes(function)
    }
    record_property("bytes", max((each, name) for name, each in needs.items()))
    assert not {name: each for name, each in needs.items() if each > BYTES}


def test_strings_are_made_from_the_patterns_of_a_module() -> None:
    marks = importlib.import_module("upheld.text.marks")
    assert {name for name, _ in patterns_of(vars(marks))} >= {"_MARK", "_PART"}
    made = [each.text(100) for each in of_module(marks).values()]
    assert "[" + " " * 98 + "\x00" in made  # white space in a mark that never closes
    disowned = importlib.import_module("upheld.verification.assertion")
    assert any("whether" in each.unit for each in of_module(disowned).values())


def recipes(function: TextFunction, most_own: int | None = None) -> Iterator[tuple[str, Recipe]]:
    """Texts for a function: the fixed ones, and those of its module's patterns."""
    yield from fixed().items()
    own = of_module(importlib.import_module(function.module))
    step = 1 if most_own is None else -(-len(own) // most_own) or 1
    yield from islice(own.items(), 0, None, step)


def limit_of(function: TextFunction) -> int:
    return next((most for name, most in LIMITS.items() if function.module.startswith(name)), LIMIT)


# What was seen over HTTP, with how long it took.
@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "upheld.verification.assertion.unasserted",
            "that claim that story that " * 4_400,
        ),  # 106 s
        ("upheld.verification.claims.split_answer", "A" + " " * 50_000 + "B."),  # 42 s
        ("upheld.text.sentences.sentence_spans", "?!..." * 9_000),  # 5 s
        ("upheld.text.figures.figures", "hundred " * 6_000),  # ValueError
        ("upheld.text.figures.figures", "1" * 5_000 + " pm"),  # ValueError
    ],
)
def test_what_froze_the_service_takes_less_than_two_seconds(name: str, text: str) -> None:
    call = next(each.call() for each in FUNCTIONS if str(each) == name)
    assert call is not None
    assert cpu(call, text) < 2


def test_a_long_block_has_the_same_sentences_as_its_parts() -> None:
    sentence = "The ferry leaves at 9 a.m. from pier 4, as Dr. Smith (of the U.S. navy) said! "
    assert sentences(sentence * 300) == sentences(sentence) * 300
