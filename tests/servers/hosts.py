"""Several hosts on this machine: network namespaces with addresses and links of their own.

They share a bridge, which also has an address, so that servers outside the namespaces can be
reached. A link can be cut and mended, and its bandwidth limited. That needs root and `iproute2`;
where namespaces may not be made, the hosts are groups of processes on the loopback address, and one
that is cut off is stopped until its link is mended: to the others it is as silent.
"""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

_numbers = itertools.count(os.getpid() % 200)  # of networks, so that two tests do not collide


@dataclass(frozen=True, slots=True)
class Host:
    """One network namespace, or without a link one group of processes."""

    name: str
    address: str
    link: str | None  # the end of its cable at the bridge
    started: list[subprocess.Popen[bytes]] = field(default_factory=list, compare=False)

    def start(
        self, command: Sequence[str], environment: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        """Start a program on this host."""
        inside = ["ip", "netns", "exec", self.name] if self.link else []
        process = subprocess.Popen(
            [*inside, *command],
            env={**os.environ, **(environment or {})},
            start_new_session=True,
        )
        self.started.append(process)
        return process

    def run(
        self, command: Sequence[str], environment: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        """Run a program here to its end."""
        inside = ["ip", "netns", "exec", self.name] if self.link else []
        return subprocess.run(
            [*inside, *command],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    def kill(self) -> None:
        """Kill everything that runs here, as a power cut does."""
        if self.link:
            asked = ["ip", "netns", "pids", self.name]
            running = subprocess.run(asked, capture_output=True, text=True, check=False)
            if pids := running.stdout.split():
                subprocess.run(["kill", "-9", *pids], check=False, capture_output=True)
        else:
            self._signal(signal.SIGKILL)

    def cut(self) -> None:
        """Pull the cable."""
        if self.link:
            _ip("link", "set", self.link, "down")
        else:
            self._signal(signal.SIGSTOP)

    def mend(self) -> None:
        """Plug the cable in again."""
        if self.link:
            _ip("link", "set", self.link, "up")
        else:
            self._signal(signal.SIGCONT)

    def limit(self, rate: str) -> None:
        """Limit what this host receives, for example to `100mbit`."""
        if self.link:
            command = ["tc", "qdisc", "replace", "dev", self.link, "root", "tbf", "rate", rate]
            subprocess.run([*command, "burst", "256kb", "latency", "50ms"], check=True)

    def _signal(self, number: signal.Signals) -> None:
        for process in self.started:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, number)


@dataclass(frozen=True, slots=True)
class Network:
    """The hosts, and the address of this machine among them."""

    gateway: str
    hosts: tuple[Host, ...]


@contextmanager
def network(count: int) -> Iterator[Network]:
    """Make `count` hosts on one bridge; everything that runs on them is killed at the end."""
    if not may_make_namespaces():
        warnings.warn("no network namespaces here: hosts are groups of processes", stacklevel=3)
        groups = tuple(Host(f"group{each}", "127.0.0.1", None) for each in range(count))
        try:
            yield Network("127.0.0.1", groups)
        finally:
            for host in groups:
                host.kill()
        return
    number = next(_numbers)
    bridge, net = f"uh{number}", f"10.{90 + number // 200}.{number % 200}"
    hosts = tuple(
        Host(f"uh{number}h{each}", f"{net}.{each + 10}", f"uh{number}v{each}")
        for each in range(count)
    )
    try:
        _ip("link", "add", bridge, "type", "bridge")
        _ip("addr", "add", f"{net}.1/24", "dev", bridge)
        _ip("link", "set", bridge, "up")
        for host in hosts:
            assert host.link is not None
            _ip("netns", "add", host.name)
            peer = ("peer", "name", "eth0", "netns", host.name)
            _ip("link", "add", host.link, "type", "veth", *peer)
            _ip("link", "set", host.link, "master", bridge, "up")
            inside = ("-n", host.name)
            _ip(*inside, "addr", "add", f"{host.address}/24", "dev", "eth0")
            _ip(*inside, "link", "set", "eth0", "up")
            _ip(*inside, "link", "set", "lo", "up")
            _ip(*inside, "route", "add", "default", "via", f"{net}.1")
        yield Network(f"{net}.1", hosts)
    finally:
        for host in hosts:
            host.kill()
            subprocess.run(["ip", "netns", "del", host.name], check=False, capture_output=True)
        subprocess.run(["ip", "link", "del", bridge], check=False, capture_output=True)


def may_make_namespaces() -> bool:
    """Whether this process may make hosts with networks of their own."""
    if not shutil.which("ip") or os.environ.get("UPHELD_NO_NAMESPACES"):
        return False
    name = f"uhprobe{os.getpid()}"
    made = subprocess.run(["ip", "netns", "add", name], check=False, capture_output=True)
    subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)
    return made.returncode == 0


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)
