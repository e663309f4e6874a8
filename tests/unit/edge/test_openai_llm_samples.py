"""How many samples `OpenAILLM` gets from a server that gives fewer, and what it says they cost."""

from __future__ import annotations

import pytest

from tests.servers.unruly import (
    Handler,
    Request,
    Response,
    completion,
    in_turn,
    refused,
    unruly,
)
from tests.unit.edge.test_openai_llm import ASK, GREEN, Colour, ask, quick
from upheld.edge.openai.llm import OpenAILLM
from upheld.errors import BudgetExceededError
from upheld.ports import Sampling
from upheld.run.budget import Budget
from upheld.run.calls import generate
from upheld.run.trace import start_run


def numbered_choices(most: int) -> Handler:
    """A server that gives at most so many choices, whatever it is asked for."""
    return lambda request: completion(*[GREEN] * min(most, request.body.get("n", 1)))


@pytest.mark.parametrize(("most", "requests"), [(1, 5), (2, 3), (3, 2), (5, 1), (9, 1)])
async def test_missing_samples_are_made_up(most: int, requests: int) -> None:
    async with unruly(numbered_choices(most)) as server:
        reply = await ask(server, Sampling(samples=5, seed=7, temperature=1))
    assert len(reply.generations) == reply.usage.completions == 5
    assert len(server.requests) == reply.usage.requests == requests
    seeds = [request.body["seed"] for request in server.requests]
    assert len(set(seeds)) == requests


async def test_a_server_that_refuses_n_is_asked_for_less_and_remembered() -> None:
    def at_most_four(request: Request) -> Response:
        n = request.body.get("n", 1)
        return completion(*[GREEN] * n) if n <= 4 else refused(400, f"Field 'n': got {n}")

    async with unruly(at_most_four) as server:
        llm = OpenAILLM(server.url, "m", retry=quick())
        first = await llm.generate(ASK, Colour, Sampling(samples=9))
        second = await llm.generate(ASK, Colour, Sampling(samples=9))
        await llm.close()
    assert [len(each.generations) for each in (first, second)] == [9, 9]
    assert [each.usage.requests for each in (first, second)] == [4, 3]


async def test_making_up_samples_stays_inside_the_budget() -> None:
    async with unruly(numbered_choices(1)) as server:
        llm = OpenAILLM(server.url, "m", retry=quick())
        with start_run(Budget(llm_calls=3)) as run, pytest.raises(BudgetExceededError):
            await generate(llm, "write", ASK, Colour, Sampling(samples=5))
        await llm.close()
    assert len(server.requests) == 1
    assert run.meter.reserved_calls == 0


async def test_samples_that_do_not_fit_are_left_out() -> None:
    async with unruly(in_turn(completion(GREEN, "no", GREEN))) as server:
        reply = await ask(server, Sampling(samples=3))
    assert len(reply.generations) == 2
    assert reply.usage.completions == 3


# --- usage ---------------------------------------------------------------------------------------


async def test_cached_tokens_are_read() -> None:
    usage = {
        "prompt_tokens": 40,
        "completion_tokens": 6,
        "total_tokens": 46,
        "prompt_tokens_details": {"cached_tokens": 32},
    }
    async with unruly(in_turn(completion(GREEN, usage=usage))) as server:
        reply = await ask(server)
    assert (reply.usage.prompt_tokens, reply.usage.cached_tokens) == (40, 32)
    assert reply.usage.completion_tokens == 6


async def test_without_reported_usage_an_upper_estimate_counts() -> None:
    async with unruly(in_turn(completion(GREEN, usage=None))) as server:
        reply = await ask(server)
    assert reply.usage.prompt_tokens >= 4
    assert 8 <= reply.usage.completion_tokens <= len(GREEN)


async def test_tokens_of_all_samples_count_where_a_server_reports_one() -> None:
    long = '{"name": "' + "green " * 50 + '"}'
    async with unruly(in_turn(completion(long, long, long))) as server:
        reply = await ask(server, Sampling(samples=3))
    assert reply.usage.completion_tokens >= 3 * 50
