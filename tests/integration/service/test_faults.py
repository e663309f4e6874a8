"""Each part refused, hung or killed: every request ends in time, and says what it lacks."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from itertools import count
from typing import Any

import httpx2
import pytest
import pytest_asyncio

from tests.integration.service.breakable import (
    LIE,
    PARAPHRASE,
    QUESTION,
    QUOTE,
    TEXT,
    Part,
    World,
    world,
)
from tests.integration.service.serving import ask
from tests.integration.service.sse import events
from tests.servers.fault_proxy import Fault
from tests.servers.postgres import new_state
from tests.servers.seaweedfs import S3Server
from upheld_service.admission import idempotency as repeats
from upheld_service.auth import middleware as callers
from upheld_service.db.dev_postgres import PrivatePostgres
from upheld_service.jobs import uploads

pytestmark = [
    pytest.mark.real,
    pytest.mark.alone,  # replies must come in tenths of a second
    pytest.mark.asyncio(loop_scope="module"),
]
DEADLINE = 0.8
LATE = 0.5  # seconds that a reply may come after its deadline
AT_LEISURE = 30.0
Send = Callable[[World, float], Awaitable[httpx2.Response]]
_numbers = count()


@dataclass(frozen=True, slots=True)
class Ended:
    """How a request ended: a body with what it lacks, or a problem with its code."""

    body: dict[str, Any]
    problem: str | None = None

    @property
    def told(self) -> str:
        """What is missing."""
        return self.problem or "; ".join(self.body.get("degraded", ()))


async def asked(world: World, seconds: float) -> httpx2.Response:
    return await ask(world.caller, QUESTION, budget={"seconds": seconds})


async def streamed(world: World, seconds: float) -> httpx2.Response:
    return await ask(world.caller, QUESTION, budget={"seconds": seconds}, stream=True)


async def verified(world: World, seconds: float) -> httpx2.Response:
    body = {
        "answer": f"{QUOTE} [1] {PARAPHRASE} [1] {LIE} [1]",
        "sources": [TEXT],
        "budget": {"seconds": seconds},
    }
    return await world.caller.post("/v1/verify", json=body)


async def put(world: World, _seconds: float) -> httpx2.Response:
    """What it may take is no wish of the caller's, but a limit on each part."""
    return await world.caller.put(
        f"/v1/collections/staff/documents/d{next(_numbers)}",
        content=b"The ferry leaves at noon.",
        headers={"Content-Type": "text/plain"},
    )


# What may come of a request while a part is away: the words of a label, or the code of a problem.
# Where nothing is named, the request does not need the part.
LACKS: dict[Part, dict[Send, tuple[str, ...]]] = {
    Part.LLM: dict.fromkeys((asked, streamed), ("no language model",)),
    Part.STORE: {
        **dict.fromkeys((asked, streamed), ("storage",)),
        put: ("storage",),
    },
    Part.DATABASE: dict.fromkeys((asked, streamed, verified, put), ("state_unavailable",)),
    Part.VERIFIER: dict.fromkeys((asked, streamed, verified), ("not checked",)),
    Part.EMBEDDER: dict.fromkeys((asked, streamed), ("the embedder failed", "time ran out")),
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def made(postgres: PrivatePostgres, s3_server: S3Server) -> AsyncIterator[World]:
    """One service for all faults: each finds it as the one before has left it."""
    with pytest.MonkeyPatch.context() as patching:
        for limited, limit in ((callers, "STATE"), (repeats, "STATE"), (uploads, "STORE")):
            patching.setattr(limited, f"{limit}_SECONDS", DEADLINE)
        async with world(new_state(postgres), s3_server, patching) as running:
            yield running


@pytest.mark.parametrize("send", [asked, streamed, verified, put])
@pytest.mark.parametrize("fault", Fault)
@pytest.mark.parametrize("part", Part)
async def test_it_ends_in_time_and_says_what_it_lacks(
    part: Part, fault: Fault, send: Send, made: World
) -> None:
    broken = made.parts[part]
    await broken.heal()  # and count from here
    await made.cool()
    assert_whole(await ended(send, made, AT_LEISURE), made)
    lacks = LACKS[part].get(send)
    for after in strikes(fault, broken.replies) if lacks else [0]:
        await made.cool()
        await broken.strike(fault, after)
        try:
            end = await ended(send, made, DEADLINE if lacks else AT_LEISURE)
            assert broken.struck or after or not lacks
        finally:
            await broken.heal()  # else all that come later fail with this one
        if lacks and (end.told or not after):
            assert any(each in end.told for each in (*lacks, "ended the run: timeout")), end
        else:  # it struck where nothing depends on it, or not at all
            assert_whole(end, made)
    assert_whole(await ended(send, made, AT_LEISURE), made)


def strikes(fault: Fault, replies: int) -> list[int]:
    """After how many replies of the part it strikes: at the first, and further into a request."""
    first, half, last = 0, replies // 2, max(replies - 1, 0)
    match fault:
        case Fault.REFUSED:
            return [first]
        case Fault.HUNG:  # each takes as long as the deadline
            return sorted({first, last})
        case Fault.KILLED:
            return sorted({first, half, last})


async def ended(send: Send, world: World, seconds: float) -> Ended:
    """Send, and read the end of it, which must come in time."""
    began = time.monotonic()
    reply = await send(world, seconds)
    took = time.monotonic() - began
    assert took < seconds + LATE, f"{took:.2f} s for {reply.text}"
    if reply.headers["content-type"] == "application/problem+json":
        assert reply.status_code >= 500
        return Ended({}, reply.json()["code"])
    assert reply.status_code in (200, 202), reply.text
    if not reply.headers["content-type"].startswith("text/event-stream"):
        assert_honest(reply.json(), world)
        return Ended(reply.json())
    *before, last = events(reply.text)
    told = [each.data for each in before if each.name == "claim"]
    if last.name == "error":
        assert not told  # nothing is shown that was not kept
        return Ended({}, last.data["code"])
    assert last.name == "final"
    assert len(told) == len(last.data["claims"])
    assert_honest({"claims": told}, world)
    assert_honest(last.data, world)
    return Ended(last.data)


def assert_honest(body: dict[str, Any], world: World) -> None:
    """No sentence is shown as supported that is no quote and that no check upheld."""
    for claim in body.get("claims", ()):
        if claim["verdict"]["support"] == "supported":
            assert claim["text"] in TEXT or claim["text"] in world.verifier.upheld, claim
            assert claim["text"] != LIE


def assert_whole(end: Ended, world: World) -> None:
    """As without a fault: every sentence checked, and nothing missing."""
    assert end.told == ""
    if "claims" in end.body:
        found = {claim["text"]: claim["verdict"]["support"] for claim in end.body["claims"]}
        assert found == {QUOTE: "supported", PARAPHRASE: "supported", LIE: found[LIE]}
        assert found[LIE] in ("contradicted", "unsupported")
        assert PARAPHRASE in world.verifier.upheld
    world.verifier.upheld.clear()  # what was upheld before upholds nothing later
