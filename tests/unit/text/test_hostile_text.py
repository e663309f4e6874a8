"""No text may freeze a process: every function that takes text does so in linear time.

The functions are found in the source (`hostile_functions`), the texts are made to be hard
(`hostile_strings`). The gate bounds the CPU time of each at 20,000 characters; `make test-real`
also bounds its growth, its memory and how long it keeps other threads waiting, at the limits.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context

import pytest

from tests.unit.hostile_functions import CALLS, NO_TEXT_OF_USERS, TextFunction, text_functions
from tests.unit.hostile_measures import Calls, Growth, cpu, growth, peak_memory
from tests.unit.hostile_strings import Recipe, fixed, of_module, patterns_of
from upheld.text.sentences import sentences

Record = Callable[[str, object], None]

LENGTH = 20_000
SECONDS = 1.0
GROWTH = 2.3  # times the CPU time, for twice the text
HELD = 0.05  # seconds that one call may keep other threads waiting
MOST_OWN = 12  # strings from a module's patterns in the gate; the campaign has all
SHARE_OF_FIXED = 2  # the gate has every second of the fixed strings, for half of the functions each
# Bytes of memory for every character. The most that is held for one is a sentence of its own: its
# place (two numbers and a tuple, 120 bytes) and its terms (a set, and lists by term), 218 bytes in
# all for "中文。"; twice that is room for other versions of Python and of the libraries.
BYTES = 440
# A parser builds a tree: 445 bytes in all for "- " of a Markdown list, and twice that. It runs in a
# child process whose memory is limited.
BYTES_OF_PARSERS = 890
# Characters that a function may be given: 500,000 of a source, 50,000 of an answer. A passage of a
# knowledge base has at most 1,920, so all passages of one answer have less than 50,000. Parsers of
# documents run in a child process that is killed at a limit: they are followed for a shorter while.
LIMIT = 500_000
LIMITS = {
    "upheld.assessment": 50_000,
    "upheld.generation": 50_000,
    "upheld.methods": 50_000,
    "upheld.prompts": 50_000,
    "upheld.retrieval": 50_000,
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
    cpu(call, "A sentence.")  # what it imports on first use is not the text's doing
    texts = {name: each.text(LENGTH) for name, each in few_recipes(function)}
    slow = {name for name, text in texts.items() if cpu(call, text) > SECONDS}
    # A busy neighbour on the same core takes some of a call's time, but not twice in a row.
    slow_again = {name: took for name in slow if (took := cpu(call, texts[name])) > SECONDS}
    assert not slow_again


# The largest figures of each function go into the file of `--junitxml`.
@pytest.mark.campaign
@pytest.mark.alone
@pytest.mark.parametrize("function", FUNCTIONS, ids=str)
def test_time_grows_as_the_text_does_and_other_threads_get_their_turns(
    function: TextFunction, record_property: Record
) -> None:
    call = function.call()
    assert call is not None
    limit = limit_of(function)
    grown: dict[str, Growth] = {}
    held: dict[str, float] = {}
    for name, recipe in recipes(function):
        calls = Calls(call, recipe.text)
        if (seen := growth(calls, limit, GROWTH)) is not None:
            grown[name] = seen if seen.times <= GROWTH else growth_in_new_process(function, name)
        if not is_parser(function):
            held[name] = calls.longest_hold(limit, HELD)
    largest = max(grown, key=lambda name: grown[name].times, default=None)
    record_property("growth", largest and f"{largest}: {grown[largest]}")
    record_property("held", max(((took, name) for name, took in held.items()), default=None))
    assert not {name: each for name, each in grown.items() if each.times > GROWTH}
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
    most = BYTES_OF_PARSERS if is_parser(function) else BYTES
    assert not {name: each for name, each in needs.items() if each > most}


@pytest.mark.campaign
def test_quadratic_work_that_lets_no_other_thread_work_is_noticed() -> None:
    quadratic = Calls(lambda text: sum(range(len(text) ** 2 // 200)), "a".__mul__)
    linear = Calls(lambda text: sum(1 for _ in range(100 * len(text))), "a".__mul__)
    assert (seen := growth(quadratic, 50_000, GROWTH)) is not None
    assert seen.times > 3
    assert quadratic.longest_hold(50_000, HELD) > HELD
    assert (seen := growth(linear, 50_000, GROWTH)) is not None
    assert seen.times < GROWTH
    assert linear.longest_hold(50_000, HELD) < HELD


def test_strings_are_made_from_the_patterns_of_a_module() -> None:
    marks = importlib.import_module("upheld.text.marks")
    assert {name for name, _ in patterns_of(vars(marks))} >= {"_MARK", "_PART"}
    made = [each.text(100) for each in of_module(marks).values()]
    assert "[" + " " * 98 + "\x00" in made  # white space in a mark that never closes
    disowned = importlib.import_module("upheld.text.assertion")
    assert any("whether" in each.unit for each in of_module(disowned).values())


def recipes(function: TextFunction) -> Iterator[tuple[str, Recipe]]:
    """Texts for a function: the fixed ones, and those of its module's patterns."""
    yield from fixed().items()
    yield from of_module(importlib.import_module(function.module)).items()


def few_recipes(function: TextFunction) -> Iterator[tuple[str, Recipe]]:
    """Those that the gate has the time for; every one of them is drawn for some function."""
    first = FUNCTIONS.index(function) % SHARE_OF_FIXED
    yield from islice(fixed().items(), first, None, SHARE_OF_FIXED)
    own = of_module(importlib.import_module(function.module))
    yield from islice(own.items(), 0, None, -(-len(own) // MOST_OWN) or 1)


def growth_in_new_process(function: TextFunction, recipe: str) -> Growth:
    """The growth where no earlier call has shaped the memory, which can double the time once."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as processes:
        return processes.submit(_growth, str(function), recipe).result()


def _growth(function: str, recipe: str) -> Growth:
    chosen = next(each for each in FUNCTIONS if str(each) == function)
    call = chosen.call()
    assert call is not None
    seen = growth(Calls(call, dict(recipes(chosen))[recipe].text), limit_of(chosen), GROWTH)
    return seen or Growth(0.0, 0, 0.0, 0.0)  # too fast there to be measured


def is_parser(function: TextFunction) -> bool:
    """Whether it runs in a process of its own, which is killed at its limits."""
    return function.module.startswith("upheld.ingest.read")


def limit_of(function: TextFunction) -> int:
    return next((most for name, most in LIMITS.items() if function.module.startswith(name)), LIMIT)


# What was seen over HTTP, with how long it took.
@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "upheld.text.assertion.unasserted",
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
