"""An indexing process is killed at random moments: nothing acknowledged is lost, none doubled."""

from __future__ import annotations

import asyncio
import json
import random
import signal
import subprocess
import sys
import time

import pytest

from tests.integration.engine.index_writer import PASSAGES, document
from tests.integration.places import Place
from upheld.edge.lance.index import LanceIndex
from upheld.testing.index_samples import OWNER

DOCUMENTS, BATCH = 60, 3
SEED = 20_240_229


def start(place: Place, first: int, count: int, edition: int = 0) -> subprocess.Popen[str]:
    numbers = map(str, (first, count, BATCH, edition))
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "tests.integration.engine.index_writer",
            place.root,
            json.dumps(place.storage_options),
            *numbers,
        ],
        stdout=subprocess.PIPE,
        text=True,
    )


def kill_after(process: subprocess.Popen[str], batches: int, seconds: float) -> list[str]:
    """Let it acknowledge some batches and go on for a moment; returns what it acknowledged."""
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    lines = []
    for _ in range(batches):
        line = process.stdout.readline()
        if not line:
            break
        lines.append(line)
    time.sleep(seconds)  # the random moment itself: nothing is waited for
    process.send_signal(signal.SIGKILL)
    rest, _ = process.communicate(timeout=60)
    lines += rest.splitlines(keepends=True)
    # A last line without its end was cut off by the kill: it is no acknowledgement.
    return [id for line in lines if line.endswith("\n") for id in line.split()]


async def check(index: LanceIndex, acknowledged: set[str], edition: int) -> None:
    """Every acknowledged document is there, whole; no passage is doubled; no orphan is seen."""
    infos = {info.id: info for info in await index.documents(OWNER)}
    assert acknowledged <= infos.keys()
    hits = await index.bm25("common", OWNER, DOCUMENTS * PASSAGES * 10)
    ids = [hit.passage.id for hit in hits]
    assert len(ids) == len(set(ids)) == len(infos) * PASSAGES
    for hit in hits:
        assert hit.passage.document_version == infos[hit.passage.document_id].version
    for id in acknowledged:
        wanted = document(int(id.removeprefix("doc")), edition)
        assert infos[id].version == wanted.document.version
        assert await index.document_text(id, OWNER) == wanted.document.text


async def survive(place: Place, kills: int) -> None:
    chance = random.Random(SEED)
    index = await place.open()
    acknowledged: set[str] = set()
    edition = 0
    for _ in range(kills):
        if len(acknowledged) == DOCUMENTS:  # all there: from now on they are replaced
            acknowledged, edition = set(), edition + 1
        process = start(place, 0, DOCUMENTS, edition)
        acknowledged |= set(
            await asyncio.to_thread(
                kill_after, process, chance.randrange(8), chance.uniform(0, 0.15)
            )
        )
        await check(index, acknowledged, edition)
    resumed = start(place, 0, DOCUMENTS, edition)
    assert await asyncio.to_thread(resumed.wait, 120) == 0
    assert resumed.stdout is not None
    resumed.stdout.close()
    everything = {document(number).document.id for number in range(DOCUMENTS)}
    await check(index, everything, edition)
    await index.maintain("shelf", grace=0)
    await check(index, everything, edition)
    stats = await index.statistics("shelf")
    assert (stats.documents, stats.rows) == (DOCUMENTS, DOCUMENTS * PASSAGES)
    await index.close()


async def test_survives_three_kills(place: Place) -> None:
    await survive(place, 3)


@pytest.mark.campaign
@pytest.mark.timeout(1800)
async def test_survives_fifty_kills(place: Place) -> None:
    await survive(place, 50)


async def test_four_processes_write_one_collection(place: Place) -> None:
    """Disjoint documents, and some that all of them write."""
    own, shared = 24, 6
    writers = [start(place, 1000 * n, own) for n in range(4)]
    writers += [start(place, 0, shared)]
    for writer in writers:
        out, _ = await asyncio.to_thread(writer.communicate, timeout=240)
        assert writer.returncode == 0, out
    index = await place.open()
    infos = await index.documents(OWNER)
    expected = {f"doc{1000 * n + m}" for n in range(4) for m in range(own)}
    assert {info.id for info in infos} == expected
    assert len(infos) == len(expected)
    hits = await index.bm25("common", OWNER, 4000)
    ids = [hit.passage.id for hit in hits]
    assert len(ids) == len(set(ids)) == len(expected) * PASSAGES
    await index.maintain("shelf", grace=0)
    assert (await index.statistics("shelf")).rows == len(expected) * PASSAGES
    await index.close()
