"""Indexing on a Ray cluster of three hosts, which are killed and cut off while they work."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.servers.ray_cluster import RayCluster, ray_cluster
from upheld import Upheld
from upheld.types import Passage

pytestmark = [pytest.mark.real, pytest.mark.hosts, pytest.mark.timeout(1800)]

PASSAGES = int(os.environ.get("UPHELD_TEST_RAY_PASSAGES", "500"))
IN_FILE = 5


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of five passages each, one under a heading each."""
    folder = tmp_path_factory.mktemp("files")
    for number in range(PASSAGES // IN_FILE):
        parts = [
            f"# Pier {number}.{part}\n\n" + f"Ferry {number}.{part} leaves at noon. " * 12
            for part in range(IN_FILE)
        ]
        (folder / f"{number}.md").write_text("\n\n".join(parts))
    return folder


@pytest.fixture(scope="module")
def alone(files: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Passage]:
    """What one process indexes."""
    with Upheld.open(tmp_path_factory.mktemp("alone")) as kb:
        kb.add(files)
        return stored(kb)


@pytest.fixture
def cluster() -> Iterator[RayCluster]:
    with ray_cluster(workers=2) as cluster:
        yield cluster


def stored(kb: Upheld) -> dict[str, Passage]:
    """Every passage by its id; none is there twice."""
    passages = [each for info in kb.documents() for each in kb.document_passages(info.id)]
    by_id = {passage.id: passage for passage in passages}
    assert len(by_id) == len(passages)
    assert kb.statistics().rows == len(passages)
    return by_id


def wait_for_passages(kb: Path, count: int) -> None:
    """Wait until a run is under way."""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        with Upheld.open(kb, local_models=False) as opened:
            if opened.statistics().passages >= count:
                return
        time.sleep(0.2)
    raise RuntimeError("the run makes no progress")


def kill_a_host(cluster: RayCluster) -> None:
    cluster.kill(cluster.workers[0])


def cut_a_host_off(cluster: RayCluster) -> None:
    cluster.workers[0].cut()


@pytest.mark.parametrize(
    "harm",
    [
        None,
        pytest.param(kill_a_host, marks=pytest.mark.campaign),
        pytest.param(cut_a_host_off, marks=pytest.mark.campaign),
    ],
)
def test_hosts_index_what_one_process_does(
    harm: Callable[[RayCluster], None] | None,
    cluster: RayCluster,
    files: Path,
    alone: dict[str, Passage],
    tmp_path: Path,
) -> None:
    kb = tmp_path / "kb"
    run = cluster.upheld("index", str(files), "--kb", str(kb), "--on", "ray")
    if harm is not None:
        wait_for_passages(kb, 1)
        harm(cluster)
    assert run.wait(timeout=1200) == 0
    with Upheld.open(kb) as opened:
        assert stored(opened) == alone


@pytest.mark.campaign
def test_a_driver_that_is_killed_goes_on(
    cluster: RayCluster, files: Path, alone: dict[str, Passage], tmp_path: Path
) -> None:
    kb = tmp_path / "kb"
    arguments = ("index", str(files), "--kb", str(kb), "--on", "ray")
    first = cluster.upheld(*arguments)
    wait_for_passages(kb, 1)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    assert cluster.upheld(*arguments).wait(timeout=1200) == 0
    with Upheld.open(kb) as opened:
        assert stored(opened) == alone
