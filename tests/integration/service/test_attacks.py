"""No input may freeze a process: every attack ends in time, and others are served meanwhile."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from tests.integration.service.attacking import TEXT, Attack, Outcome, Target
from tests.integration.service.attacks import ATTACKS
from tests.integration.service.commands import Command, started
from tests.integration.service.polling import percentile, polling
from tests.integration.service.serving import new_key
from tests.servers.postgres import State

pytestmark = pytest.mark.real
P99_SECONDS = 0.1


@contextmanager
def attacked(state: State, folder: Path) -> Iterator[tuple[Target, Command]]:
    """The service in a process of its own, with its models, and a document to ask about."""
    environment = {
        "UPHELD_DATABASE_URL": state.service.get_secret_value(),
        "UPHELD_KB": str(folder),
        "UPHELD_TENANT_BURST": "10000",
        "UPHELD_READ_SECONDS": "20",
    }
    key = asyncio.run(new_key(state)).get_secret_value()
    with started("serve", "--port", "0", **environment) as command:
        target = Target(command.said("Upheld answers at").rpartition(" ")[2], key)
        asyncio.run(warm(target))
        yield target, command


async def warm(target: Target) -> None:
    """What is slow once is slow before the attack."""
    async with target.client() as client, asyncio.timeout(200):
        await client.put(
            "/v1/collections/staff/documents/rota",
            content=TEXT.encode(),
            headers={"Content-Type": "text/plain"},
        )
        path = "/v1/collections/staff/documents/rota"
        while (await client.get(path)).json()["status"] != "ready":  # noqa: ASYNC110
            await asyncio.sleep(0.2)
        body = {"answer": f"{TEXT} It has 199 steps. [1]", "sources": [TEXT]}
        assert (await client.post("/v1/verify", json=body)).status_code == 200
        ask = {"question": "When does the lighthouse open?", "collection": "staff"}
        assert (await client.post("/v1/answers", json=ask)).status_code == 200


def faults(attack: Attack, outcome: Outcome) -> list[str]:
    found = []
    if outcome.status in (0, 500):
        found.append(f"status {outcome.status}")
    if outcome.seconds > attack.most:
        found.append(f"{outcome.seconds:.1f} s")
    return found


@pytest.mark.alone  # half a second is what a request may be late
def test_every_attack_ends_in_time_and_none_in_an_error_of_ours(
    own_state: State, tmp_path: Path
) -> None:
    broken: dict[str, list[str]] = {}
    with attacked(own_state, tmp_path) as (target, _):
        for attack in ATTACKS:
            if attack.in_gate and (found := faults(attack, asyncio.run(attack.run(target, 0.1)))):
                broken[attack.name] = found
        assert httpx2.get(f"{target.url}/healthz").status_code == 200
    assert not broken


@pytest.mark.campaign
@pytest.mark.alone
@pytest.mark.timeout(1800)
def test_nobody_else_waits_while_the_service_is_attacked(own_state: State, tmp_path: Path) -> None:
    """At full size; prints a line for each attack, and where the event loop stalled."""
    broken: dict[str, list[str]] = {}
    with attacked(own_state, tmp_path) as (target, command), polling(target.url) as looks:
        print(f"\n{'attack':35} {'status':>6} {'seconds':>8} {'p50':>6} {'p99':>6} {'max':>6}  ms")
        for attack in ATTACKS:
            before = len(looks)
            outcome = asyncio.run(attack.run(target, 1.0))
            seen = looks[before:]
            figures = [f"{1000 * percentile(seen, share):6.0f}" for share in (0.5, 0.99, 1)]
            ended = f"{attack.name:35} {outcome.status:6} {outcome.seconds:8.2f}"
            print(ended, *figures, flush=True)
            if found := faults(attack, outcome):
                broken[attack.name] = found
        lines = [line for line in command.lines.queue if line and "event loop stalled" in line]
    for stall in map(json.loads, lines):
        print({name: stall[name] for name in ("seconds", "processor_seconds", "frames", "threads")})
    p99 = percentile(looks, 0.99)
    print(f"{len(looks)} looks: p99 {1000 * p99:.0f} ms, max {1000 * percentile(looks, 1):.0f} ms")
    assert not broken
    assert p99 <= P99_SECONDS
