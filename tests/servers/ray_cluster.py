"""A Ray cluster whose nodes are hosts of their own: a head without CPUs, and workers."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.servers.hosts import Host, Network, network

PORT = 6379
START_SECONDS = 60.0
QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled"}
# A host that is cut off counts as dead after about five seconds, not half a minute.
QUICK = {
    "RAY_health_check_period_ms": "1000",
    "RAY_health_check_timeout_ms": "1000",
    "RAY_health_check_failure_threshold": "5",
}


@dataclass
class RayCluster:
    """The hosts of the cluster, and the process that runs each node."""

    net: Network
    folder: Path
    nodes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def head(self) -> Host:
        return self.net.hosts[0]

    @property
    def workers(self) -> tuple[Host, ...]:
        return self.net.hosts[1:]

    @property
    def address(self) -> str:
        return f"{self.head.address}:{PORT}"

    def start(self, host: Host) -> None:
        """Start the node of a host."""
        ray = str(Path(sys.executable).with_name("ray"))
        role = (
            ["--head", f"--port={PORT}", "--num-cpus=0", "--include-dashboard=false"]
            if host is self.head
            else [f"--address={self.address}", "--num-cpus=1"]
        )
        command = [
            *(ray, "start", *role, "--block", f"--node-ip-address={host.address}"),
            *("--object-store-memory=100000000", f"--temp-dir={self.folder / host.name}"),
        ]
        self.nodes[host.name] = host.start(command, QUIET | QUICK | paths())

    def kill(self, host: Host) -> None:
        """Kill everything that runs on a host, as a power cut does."""
        host.kill()
        self.nodes.pop(host.name).wait()

    def upheld(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start a command of ours on the head, which works on the cluster."""
        command = [sys.executable, "-m", "upheld", *arguments]
        return self.head.start(command, {"RAY_ADDRESS": self.address, **QUIET, **paths()})

    def wait_for_cpus(self, count: int) -> None:
        """Wait until the workers have joined."""
        script = (
            f"import ray; ray.init('{self.address}', logging_level='ERROR'); "
            "print(int(ray.cluster_resources().get('CPU', 0)))"
        )
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            ended = [name for name, node in self.nodes.items() if node.poll() is not None]
            if ended:
                raise RuntimeError(f"the nodes of {', '.join(ended)} ended")
            asked = self.head.run([sys.executable, "-c", script], QUIET)
            if asked.stdout.strip() == str(count):
                return
            time.sleep(0.5)
        raise RuntimeError(f"the cluster has not {count} CPUs: {asked.stderr[-2000:]}")


def paths() -> dict[str, str]:
    """What is tested is this checkout, also in the processes of Ray."""
    return {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


@contextmanager
def ray_cluster(workers: int) -> Iterator[RayCluster]:
    """Start a cluster, wait until it is whole, and kill it at the end."""
    # A short path: names of sockets have at most 107 characters.
    with (
        tempfile.TemporaryDirectory(prefix="ray", dir="/tmp") as folder,
        network(workers + 1) as net,
    ):
        cluster = RayCluster(net, Path(folder))
        try:
            for host in net.hosts:
                cluster.start(host)
                if host is cluster.head:
                    cluster.wait_for_cpus(0)
            cluster.wait_for_cpus(workers)
            yield cluster
        finally:
            for host in net.hosts:
                if host.name in cluster.nodes:
                    cluster.kill(host)
