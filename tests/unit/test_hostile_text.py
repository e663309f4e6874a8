"""No text may freeze a process: every function that takes text does so in linear time.

The functions are found in the source (`hostile_functions`), the texts are made to be hard
(`hostile_strings`). The gate bounds the CPU time of each at 20,000 characters; `make test-real`
also bounds its growth, its memory and how long it keeps other threads waiting, at the limits.
"""

from __future__ import annotations

import contextlib
import importlib
import threading
import time
import tracemalloc
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Any

import pytest

from tests.unit.hostile_functions import CALLS, NO_TEXT_OF_USERS, Call, TextFunction, text_functions
from tests.unit.hostile_strings import fixed, of_module, patterns_of
from upheld.errors import UpheldError
from upheld.sentences import sentences

LENGTH = 20_000
SECONDS = 1.0
GROWTH = 2.3  # times the CPU time, for twice the text
MEASURABLE = 0.05  # seconds of CPU: less is noise
ENOUGH = 4.0  # seconds of CPU after which growth has been seen
HELD = 0.05  # seconds that one call may keep other threads waiting
MOST_OWN = 12  # strings from a module's patterns in the gate; the campaign has all
BYTES = 1_500  # of memory for every character
# Characters that a function may be given. Parsers of documents run in a child process that is
# killed at a limit, and are slow: they are followed for a shorter while.
LIMIT = 500_000
LIMITS = {
    "upheld.stages.checks.claims": 50_000,
    "upheld.stages.checks.checkworthy": 50_000,
    "upheld.stages.checks.notation": 50_000,
    "upheld.stages.diagnosis.facets": 4_000,
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
    some = texts(function, LENGTH, MOST_OWN)
    slow = {name: took for name, text in some if (took := cpu(call, text)) > SECONDS}
    assert not slow


@pytest.mark.campaign
@pytest.mark.parametrize("function", FUNCTIONS, ids=str)
def test_time_grows_as_the_text_does(function: TextFunction) -> None:
    call = function.call()
    assert call is not None
    for name, _ in texts(function, LENGTH):
        seen = list(measured(function, call, name))
        for (length, before), (_, after) in pairwise(seen):
            if before > MEASURABLE:
                assert after <= GROWTH * before, (name, length, before, after)


@pytest.mark.campaign
@pytest.mark.alone
@pytest.mark.parametrize("function", FUNCTIONS, ids=str)
def test_no_call_keeps_other_threads_waiting(function: TextFunction) -> None:
    if function.module.startswith("upheld.ingest.read"):
        return  # in a process of its own
    call = function.call()
    assert call is not None
    for name, text in texts(function, limit_of(function)):
        if (held := longest_wait(call, text)) > HELD:
            held = min(held, longest_wait(call, text), longest_wait(call, text))
        assert held <= HELD, (name, held)


@pytest.mark.campaign
@pytest.mark.parametrize("function", FUNCTIONS, ids=str)
def test_memory_is_in_proportion_to_the_text(function: TextFunction) -> None:
    call = function.call()
    assert call is not None
    for name, text in texts(function, LENGTH):
        tracemalloc.start()
        try:
            cpu(call, text)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak <= BYTES * len(text), (name, peak)


def test_strings_are_made_from_the_patterns_of_a_module() -> None:
    marks = importlib.import_module("upheld.stages.checks.marks")
    assert {name for name, _ in patterns_of(vars(marks))} >= {"_MARK", "_PART"}
    made = of_module(marks, 100).values()
    assert " " * 99 + "\x00" in made  # white space before a mark that never comes
    disowned = importlib.import_module("upheld.stages.checks.disowned")
    assert any("whether" in text for text in of_module(disowned, 100).values())


def texts(
    function: TextFunction, length: int, most_own: int | None = None
) -> Iterator[tuple[str, str]]:
    """Texts for a function: the fixed ones, and those of its module's patterns."""
    yield from fixed(length).items()
    own = of_module(importlib.import_module(function.module), length)
    step = 1 if most_own is None else -(-len(own) // most_own) or 1
    yield from islice(own.items(), 0, None, step)


def cpu(call: Call, text: str) -> float:
    """Seconds of CPU time that a call takes; a text that is refused costs what it costs."""
    start = time.thread_time()
    with contextlib.suppress(UpheldError):
        exhausted(call(text))
    return time.thread_time() - start


def exhausted(result: Any) -> None:
    """Work is done only when the results of a generator are asked for."""
    if isinstance(result, Iterator):
        for _ in result:
            pass


def limit_of(function: TextFunction) -> int:
    return next((most for name, most in LIMITS.items() if function.module.startswith(name)), LIMIT)


def measured(function: TextFunction, call: Call, name: str) -> Iterator[tuple[int, float]]:
    """Lengths and times, each length twice the one before, the better of two runs."""
    length = 2_000
    while length <= limit_of(function):
        text = dict(texts(function, length))[name]
        took = min(cpu(call, text), cpu(call, text))
        yield length, took
        if took > ENOUGH:
            return
        length *= 2


def longest_wait(call: Call, text: str) -> float:
    """The longest time for which another thread did not get its turn during a call."""
    done = threading.Event()
    longest = 0.0

    def watch() -> None:
        nonlocal longest
        before = time.perf_counter()
        while not done.wait(0.001):
            now = time.perf_counter()
            longest = max(longest, now - before)
            before = now

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        cpu(call, text)
    finally:
        done.set()
        watcher.join()
    return longest


# What was seen over HTTP, with how long it took.
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("upheld.stages.checks.disowned.disowned", "that claim that story that " * 4_400),  # 106 s
        ("upheld.stages.checks.claims.split_answer", "A" + " " * 50_000 + "B."),  # 42 s
        ("upheld.sentences.sentence_spans", "?!..." * 9_000),  # 5 s
        ("upheld.stages.checks.figures.figures", "hundred " * 6_000),  # ValueError
        ("upheld.stages.checks.figures.figures", "1" * 5_000 + " pm"),  # ValueError
    ],
)
def test_what_froze_the_service_takes_less_than_two_seconds(name: str, text: str) -> None:
    call = next(each.call() for each in FUNCTIONS if str(each) == name)
    assert call is not None
    assert cpu(call, text) < 2


def test_a_long_block_has_the_same_sentences_as_its_parts() -> None:
    sentence = "The ferry leaves at 9 a.m. from pier 4, as Dr. Smith (of the U.S. navy) said! "
    assert sentences(sentence * 300) == sentences(sentence) * 300
