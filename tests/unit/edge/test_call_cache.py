from __future__ import annotations

import asyncio
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, Field, create_model

from upheld.edge.call_cache import CachedLLM
from upheld.errors import LLMOutputError, LLMUnavailableError, UsageError
from upheld.ports import LLM, Message, Sampling
from upheld.run.budget import Budget
from upheld.run.calls import generate
from upheld.run.trace import start_run
from upheld.testing.llm_conformance import ASK, Choice, LLMConformance, say_choice
from upheld.types import Usage
from upheld_lab.testing.fake_llm import FakeLLM

RED = Choice(colour="red", sure=True)
GREEN = Choice(colour="green", sure=True)
BLUE = Choice(colour="blue", sure=True)


class TestCachedLLM(LLMConformance):
    @pytest.fixture
    def llm(self, tmp_path: Path) -> LLM:
        return CachedLLM(FakeLLM(say_choice), tmp_path, "tenant")


def colours(*lines: Any) -> FakeLLM:
    return FakeLLM(lines)


async def test_a_repeat_costs_nothing_and_is_counted_as_cached(tmp_path: Path) -> None:
    llm = colours(RED)
    cached = CachedLLM(llm, tmp_path, "a")
    first = await cached.generate(ASK, Choice)
    again = await CachedLLM(FakeLLM([]), tmp_path, "a").generate(ASK, Choice)
    assert again.generations == first.generations
    assert first.usage.requests == 1
    assert first.usage.cached_completions == 0
    assert again.usage == Usage(completions=1, cached_completions=1)
    assert len(llm.calls) == 1


async def test_a_run_counts_a_cached_call_as_no_request(tmp_path: Path) -> None:
    cached = CachedLLM(colours(RED, GREEN), tmp_path, "a")
    used = []
    for _ in range(2):
        # One call: it is reserved before anybody knows that it is cached.
        with start_run(Budget(llm_calls=1)) as run:
            await generate(cached, "write", ASK, Choice)
        used.append(run.meter.used)
    assert [(each.requests, each.completions) for each in used] == [(1, 1), (0, 1)]
    assert [each.cached_completions for each in used] == [0, 1]


OTHER = create_model("Other", colour=(str, ...), sure=(bool, ...))
TURNED = create_model("Choice", sure=(bool, ...), colour=(str, ...))


@pytest.mark.parametrize(
    ("messages", "output", "sampling"),
    [
        ((*ASK, Message("user", "And now?")), Choice, Sampling()),
        ((Message("user", ASK[0].content), ASK[1]), Choice, Sampling()),
        (ASK, OTHER, Sampling()),
        (ASK, TURNED, Sampling()),
        (ASK, Choice, Sampling(max_tokens=64)),
        (ASK, Choice, Sampling(temperature=0.7)),
        (ASK, Choice, Sampling(top_k=3)),
        (ASK, Choice, Sampling(seed=1)),
        (ASK, Choice, Sampling(logprobs=2)),
    ],
)
async def test_anything_else_is_another_call(
    tmp_path: Path, messages: tuple[Message, ...], output: type[BaseModel], sampling: Sampling
) -> None:
    llm = colours(RED, GREEN)
    cached = CachedLLM(llm, tmp_path, "a")
    await cached.generate(ASK, Choice)
    other = await cached.generate(messages, output, sampling)
    assert other.value.model_dump()["colour"] == "green"
    assert len(llm.calls) == 2


def test_the_schemas_of_the_test_differ_only_in_name_and_order() -> None:
    assert OTHER.model_json_schema()["properties"].keys() == Choice.model_fields.keys()
    assert list(TURNED.model_fields) == list(reversed(Choice.model_fields))


async def test_another_model_is_another_call(tmp_path: Path) -> None:
    class Renamed(FakeLLM):
        @property
        def identity(self) -> str:
            return "another"

    await CachedLLM(colours(RED), tmp_path, "a").generate(ASK, Choice)
    reply = await CachedLLM(Renamed([GREEN]), tmp_path, "a").generate(ASK, Choice)
    assert reply.value == GREEN


# --- tenants -------------------------------------------------------------------------------------


@pytest.mark.parametrize("other", ["b", "A", "a ", "a/../a", "../a", "a\0", "ä"])
async def test_tenants_share_nothing(tmp_path: Path, other: str) -> None:
    one, two = (CachedLLM(colours(line), tmp_path, t) for line, t in ((RED, "a"), (GREEN, other)))
    assert (await one.generate(ASK, Choice)).value == RED
    assert (await two.generate(ASK, Choice)).value == GREEN
    assert one.path.parent != two.path.parent
    assert {each.path.parent.parent for each in (one, two)} == {tmp_path}
    # also where a file system does not tell upper from lower case
    assert str(one.path).lower() != str(two.path).lower()


def test_a_cache_without_a_tenant_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="belongs to a tenant"):
        CachedLLM(FakeLLM([]), tmp_path, "")


async def test_the_file_holds_no_prompt_and_is_for_its_owner(tmp_path: Path) -> None:
    cached = CachedLLM(colours(RED), tmp_path / "deep" / "folder", "Tenant One")
    await cached.generate(ASK, Choice)
    assert cached.path.parent.name.startswith("tenant-one-")
    assert stat.S_IMODE(cached.path.parent.stat().st_mode) == 0o700
    assert ASK[1].content.encode() not in cached.path.read_bytes()


# --- samples -------------------------------------------------------------------------------------

HOT = Sampling(temperature=1.0, seed=7)


def hot(samples: int) -> Sampling:
    return Sampling(temperature=1.0, seed=7, samples=samples)


async def test_samples_are_kept_one_by_one(tmp_path: Path) -> None:
    llm = colours(RED, GREEN, BLUE)
    cached = CachedLLM(llm, tmp_path, "a")
    two = await cached.generate(ASK, Choice, hot(2))
    three = await cached.generate(ASK, Choice, hot(3))
    one = await cached.generate(ASK, Choice, HOT)
    assert [each.value for each in two.generations] == [RED, GREEN]
    assert [each.value for each in three.generations] == [RED, GREEN, BLUE]
    assert one.value == RED
    # Only the third was asked for, with a seed of its own.
    assert [(c.sampling.samples, c.sampling.seed) for c in llm.calls] == [(2, 7), (1, 9)]
    assert (three.usage.requests, three.usage.completions) == (1, 3)
    assert three.usage.cached_completions == 2


async def test_samples_that_did_not_fit_are_not_drawn_again(tmp_path: Path) -> None:
    llm = colours(RED, "no JSON", GREEN)
    cached = CachedLLM(llm, tmp_path, "a")
    first = await cached.generate(ASK, Choice, hot(3))
    again = await cached.generate(ASK, Choice, hot(3))
    assert [each.value for each in again.generations] == [RED, GREEN]
    assert again.generations == first.generations
    assert len(llm.calls) == 1


async def test_further_samples_that_do_not_fit_lose_nothing_that_was_kept(tmp_path: Path) -> None:
    cached = CachedLLM(colours(RED, "no JSON"), tmp_path, "a")
    await cached.generate(ASK, Choice, HOT)
    reply = await cached.generate(ASK, Choice, hot(2))
    assert [each.value for each in reply.generations] == [RED]
    assert (reply.usage.requests, reply.usage.cached_completions) == (1, 1)
    assert (await cached.generate(ASK, Choice, hot(2))).usage.requests == 0


async def test_log_probabilities_come_back_as_they_were(tmp_path: Path) -> None:
    scored = Sampling(logprobs=3)
    cached = CachedLLM(colours(RED), tmp_path, "a")
    first = await cached.generate(ASK, Choice, scored)
    again = await cached.generate(ASK, Choice, scored)
    assert again.generations == first.generations
    assert again.generations[0].tokens


# --- what is not kept ----------------------------------------------------------------------------


@pytest.mark.parametrize("failure", [LLMUnavailableError("down"), "no JSON"])
async def test_failures_are_raised_and_tried_again(tmp_path: Path, failure: Any) -> None:
    cached = CachedLLM(colours(failure, RED), tmp_path, "a")
    with pytest.raises((LLMUnavailableError, LLMOutputError)) as caught:
        await cached.generate(ASK, Choice)
    assert caught.value.usage.requests == 1
    assert (await cached.generate(ASK, Choice)).value == RED


async def test_a_reply_that_fits_its_schema_no_longer_is_asked_for_again(tmp_path: Path) -> None:
    old = create_model("Word", word=(str, Field()))
    new = create_model("Word", word=(str, Field(pattern="^x", json_schema_extra=_same)))
    assert old.model_json_schema() == new.model_json_schema()
    llm = FakeLLM([{"word": "old"}, {"word": "xnew"}])
    cached = CachedLLM(llm, tmp_path, "a")
    await cached.generate(ASK, old)
    for _ in range(2):
        assert (await cached.generate(ASK, new)).value.model_dump() == {"word": "xnew"}
    assert len(llm.calls) == 2


def _same(schema: dict[str, Any]) -> None:
    schema.pop("pattern")


# --- at the same time ----------------------------------------------------------------------------


async def test_the_same_call_at_the_same_time_is_made_once(tmp_path: Path) -> None:
    llm = FakeLLM([RED, GREEN], latency=0.01)
    cached = CachedLLM(llm, tmp_path, "a")
    replies = await asyncio.gather(*(cached.generate(ASK, Choice) for _ in range(4)))
    assert [reply.value for reply in replies] == [RED] * 4
    assert len(llm.calls) == 1
    assert sum((reply.usage for reply in replies), Usage()).requests == 1


async def test_who_waited_for_a_call_that_failed_asks_itself(tmp_path: Path) -> None:
    cached = CachedLLM(FakeLLM([LLMUnavailableError("down"), RED], latency=0.01), tmp_path, "a")
    first, second = await asyncio.gather(
        *(cached.generate(ASK, Choice) for _ in range(2)), return_exceptions=True
    )
    assert isinstance(first, LLMUnavailableError)
    assert not isinstance(second, BaseException)
    assert second.value == RED


async def test_a_cancelled_caller_does_not_cancel_the_shared_call(tmp_path: Path) -> None:
    cached = CachedLLM(FakeLLM([RED, GREEN], latency=0.05), tmp_path, "a")
    gone, stays = (asyncio.create_task(cached.generate(ASK, Choice)) for _ in range(2))
    await asyncio.sleep(0.01)
    gone.cancel()
    assert (await stays).value in (RED, GREEN)


WRITER = """
import asyncio, sys
from upheld.edge.call_cache import CachedLLM
from upheld.ports import Message
from upheld_lab.testing.fake_llm import FakeLLM
from upheld.testing.llm_conformance import Choice, say_choice

async def main():
    llm = FakeLLM(say_choice)
    cached = CachedLLM(llm, sys.argv[1], "shared")
    for number in range(25):
        await cached.generate((Message("user", f"{number} {sys.argv[2]}"),), Choice)
        await cached.generate((Message("user", f"{number}"),), Choice)
    assert len(llm.calls) >= 25

asyncio.run(main())
"""


def test_several_processes_share_a_file(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), str(number)],
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(3)
    ]
    told = [writer.communicate(timeout=120)[1] for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0, 0], told
    (file,) = tmp_path.glob("*/calls.sqlite3")
    connection = sqlite3.connect(file)
    assert connection.execute("SELECT count(*) FROM calls").fetchone() == (3 * 25 + 25,)
    connection.close()


# --- a cache that is broken ----------------------------------------------------------------------


async def test_a_file_that_is_no_database_costs_the_cache_and_not_the_answer(
    tmp_path: Path,
) -> None:
    cached = CachedLLM(colours(RED, GREEN), tmp_path, "a")
    cached.path.parent.mkdir()
    cached.path.write_text("this is not a database, " * 100)
    with start_run() as run:
        assert (await cached.generate(ASK, Choice)).value == RED
    read, written = run.degraded
    assert "cache cannot be read" in read
    assert "cache cannot be written" in written


async def test_a_folder_that_cannot_be_made_costs_the_cache_and_not_the_answer(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("in the way")
    cached = CachedLLM(colours(RED), tmp_path / "file", "a")
    with start_run() as run:
        assert (await cached.generate(ASK, Choice)).value == RED
    assert len(run.degraded) == 2
    assert str(tmp_path) not in " ".join(run.degraded)
