"""Several hosts on this machine: network namespaces with addresses and links of their own.

They share a bridge, which also has an address, so that servers outside the namespaces can be
reached. A link can be cut and mended, and its bandwidth limited. Needs root and `iproute2`.
"""

from __future__ import annotations

import itertools
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

_numbers = itertools.count(os.getpid() % 200)  # of networks, so that two tests do not collide


@dataclass(frozen=True, slots=True)
class Host:
    """One network namespace."""

    name: str
    address: str
    link: str  # the end of its cable at the bridge

    def start(
        self, command: Sequence[str], environment: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        """Start a program on this host."""
        return subprocess.Popen(
            ["ip", "netns", "exec", self.name, *command],
            env={**os.environ, **(environment or {})},
            start_new_session=True,
        )

    def cut(self) -> None:
        """Pull the cable."""
        _ip("link", "set", self.link, "down")

    def mend(self) -> None:
        """Plug the cable in again."""
        _ip("link", "set", self.link, "up")

    def limit(self, rate: str) -> None:
        """Limit what this host receives, for example to `100mbit`."""
        command = ["tc", "qdisc", "replace", "dev", self.link, "root", "tbf"]
        subprocess.run([*command, "rate", rate, "burst", "256kb", "latency", "50ms"], check=True)


@dataclass(frozen=True, slots=True)
class Network:
    """The hosts, and the address of this machine among them."""

    gateway: str
    hosts: tuple[Host, ...]


@contextmanager
def network(count: int) -> Iterator[Network]:
    """Make `count` hosts on one bridge; everything that runs on them is killed at the end."""
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
            running = subprocess.run(
                ["ip", "netns", "pids", host.name], capture_output=True, text=True, check=False
            )
            if pids := running.stdout.split():
                subprocess.run(["kill", "-9", *pids], check=False, capture_output=True)
            subprocess.run(["ip", "netns", "del", host.name], check=False, capture_output=True)
        subprocess.run(["ip", "link", "del", bridge], check=False, capture_output=True)


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)
