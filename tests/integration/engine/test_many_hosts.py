"""Four hosts that search and two that write share one collection, while hosts die and links break.

`UPHELD_TEST_FLEET_SECONDS=600 pytest -s -m hosts tests/integration/engine` is the long run. How
soon others see a write is asserted on an idle machine only, not in the gate.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.integration.places import Place
from tests.servers.hosts import Host, network
from tests.servers.ray_cluster import paths
from tests.servers.seaweedfs import seaweedfs
from upheld.testing.index_samples import OWNER

pytestmark = [pytest.mark.real, pytest.mark.hosts, pytest.mark.timeout(1200)]

SECONDS = float(os.environ.get("UPHELD_TEST_FLEET_SECONDS", "60"))
READERS, WRITERS = 4, 2
HARM_EVERY = 30.0 if SECONDS >= 300 else 10.0
CUT_SECONDS = 5.0
FRESH_SECONDS = float("inf") if os.environ.get("CI") else 5.0
SETTLED = 15.0  # after a cut, connections are opened again within this time


@dataclass
class Fleet:
    """The processes on their hosts, and when each host was harmed."""

    place: Place
    folder: Path
    hosts: dict[str, Host]
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    harmed: dict[str, list[float]] = field(default_factory=dict)

    def start(self, name: str) -> None:
        role = "write" if name.startswith("writer") else "read"
        command = [sys.executable, "-m", "tests.integration.engine.fleet", role, name]
        options = json.dumps(self.place.storage_options)
        self.running[name] = self.hosts[name].start(
            [*command, self.place.root, options, str(self.folder)], paths()
        )

    def harm(self, dice: random.Random) -> None:
        """Kill one process and start it again, or cut one link for five seconds."""
        name = dice.choice(sorted(self.hosts))
        self.harmed.setdefault(name, []).append(time.time())
        if dice.random() < 0.5:
            os.killpg(self.running[name].pid, signal.SIGKILL)
            self.running[name].wait()
            self.start(name)
        else:
            self.hosts[name].cut()
            time.sleep(CUT_SECONDS)
            self.hosts[name].mend()
            self.harmed[name].append(time.time())

    def journal(self, name: str) -> list[dict[str, Any]]:
        lines = (self.folder / f"{name}.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines if line.endswith("}")]

    def was_harmed(self, name: str, at: float, until: float) -> bool:
        return any(at - SETTLED <= harm <= until for harm in self.harmed.get(name, ()))


async def test_nothing_is_lost_and_everything_is_fresh(tmp_path: Path) -> None:
    with network(READERS + WRITERS) as net, seaweedfs(net.gateway) as server:
        place = Place(server.new_prefix(), server.storage_options)
        names = [f"reader{n}" for n in range(READERS)] + [f"writer{n}" for n in range(WRITERS)]
        fleet = Fleet(place, tmp_path, dict(zip(names, net.hosts, strict=True)))
        for host in net.hosts:
            host.limit("200mbit")
        for name in names:
            (tmp_path / f"{name}.jsonl").touch()
            fleet.start(name)
        dice, ends = random.Random(7), time.monotonic() + SECONDS
        while time.monotonic() < ends:
            await asyncio.sleep(HARM_EVERY)
            await asyncio.to_thread(fleet.harm, dice)
        await asyncio.sleep(SETTLED)
        for process in fleet.running.values():
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        written = acknowledged(fleet)
        await check_rows(place, fleet, written)
        check_reads(fleet, written)


def acknowledged(fleet: Fleet) -> list[dict[str, Any]]:
    lines = [each for n in range(WRITERS) for each in fleet.journal(f"writer{n}") if "id" in each]
    assert len(lines) > SECONDS / 4, "the writers did next to nothing"
    return lines


async def check_rows(place: Place, fleet: Fleet, written: list[dict[str, Any]]) -> None:
    """Every acknowledged document is there in its last version, and no passage is doubled.

    The last write of a writer that was killed may be there without having been acknowledged.
    """
    index = await place.open()
    infos = {info.id: info.version for info in await index.documents(OWNER)}
    allowed: dict[str, set[str]] = {}
    for line in (each for n in range(WRITERS) for each in fleet.journal(f"writer{n}")):
        if "begins" in line:
            allowed.setdefault(line["begins"], set()).add(line["version"])
        elif "id" in line:
            allowed[line["id"]] = {line["version"]}
    lost = [line["id"] for line in written if infos.get(line["id"]) not in allowed[line["id"]]]
    assert not lost
    hits = await index.bm25("common", OWNER, 10 * len(infos))
    assert len({hit.passage.id for hit in hits}) == len(hits) == 2 * len(infos)
    await index.close()


def check_reads(fleet: Fleet, written: list[dict[str, Any]]) -> None:
    """Each document was seen within five seconds by each reader that was not harmed then."""
    lags: list[float] = []
    times: list[float] = []
    for number in range(READERS):
        name = f"reader{number}"
        journal = fleet.journal(name)
        failed = [line for line in journal if "failed" in line]
        assert not failed, failed[0]
        assert not any(line.get("doubled") for line in journal)
        times += [line["seconds"] for line in journal if "seconds" in line]
        saw = [line for line in reversed(journal) if "saw" in line]  # the first time wins
        seen = {(line["saw"], line["version"]): line["at"] for line in saw}
        for line in written:
            at = seen.get((line["id"], line["version"]))
            if at is not None and not fleet.was_harmed(name, line["at"], at):
                lags.append(at - line["at"])
    assert len(lags) > len(written)
    print(
        f"{len(written)} writes, {len(times)} searches, p50 {statistics.median(times):.3f} s, "
        f"visible after p50 {statistics.median(lags):.2f} s, at most {max(lags):.2f} s"
    )
    assert max(lags) <= FRESH_SECONDS
