"""A network that only pretends: it writes down every connection, and answers what it is told to."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpcore2


@dataclass(frozen=True)
class Asked:
    """One request as it went over the wire."""

    address: str
    path: str
    headers: dict[str, str]


def reply(body: bytes = b"", status: int = 200, **headers: str) -> bytes:
    """A whole HTTP answer; header names are written with underscores."""
    sent = {"content-type": "text/html", "content-length": str(len(body))}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in sent.items() if value)
    return f"HTTP/1.1 {status} X\r\n{lines}\r\n".encode() + body


ALL_ALLOWED = reply(b"User-agent: *\nAllow: /\n", content_type="text/plain")
HELLO = reply(b"<p>Hello.</p>")


def hello(asked: Asked) -> bytes:
    """A site with one page that anyone may fetch."""
    return ALL_ALLOWED if asked.path == "/robots.txt" else HELLO


@dataclass
class FakeNetwork(httpcore2.AsyncNetworkBackend):
    answer: Callable[[Asked], bytes] = hello
    down: frozenset[str] = frozenset()  # addresses that do not let anyone connect
    connected: list[tuple[str, int]] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    server_names: list[str | None] = field(default_factory=list)

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 -- httpcore's signature
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        self.connected.append((host, port))
        if host in self.down:
            raise httpcore2.ConnectError("refused")
        return _Wire(self, host)

    @property
    def addresses(self) -> list[str]:
        return [host for host, _ in self.connected]


@dataclass
class _Wire(httpcore2.AsyncNetworkStream):
    network: FakeNetwork
    address: str
    request: bytes = b""
    left: bytes = b""

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        part, self.left = self.left[:max_bytes], self.left[max_bytes:]
        return part

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        self.request += buffer
        if not self.request.endswith(b"\r\n\r\n"):
            return
        first, *lines = self.request.decode().strip().split("\r\n")
        self.request = b""
        headers = {name.lower(): value for name, _, value in (x.partition(": ") for x in lines)}
        asked = Asked(self.address, first.split()[1], headers)
        self.network.asked.append(asked)
        self.left += self.network.answer(asked)

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109
    ) -> httpcore2.AsyncNetworkStream:
        self.network.server_names.append(server_hostname)
        return self

    async def aclose(self) -> None:
        self.left = b""

    def get_extra_info(self, info: str) -> Any:
        return None


@dataclass
class FakeNames:
    """A resolver: each name has its answers, given in turn, the last one for ever."""

    known: dict[str, Sequence[Sequence[str]]] = field(default_factory=dict)
    otherwise: Sequence[str] = ()
    asked: list[str] = field(default_factory=list)

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        turn = self.asked.count(host)
        self.asked.append(host)
        answers = self.known.get(host, [self.otherwise])
        return answers[min(turn, len(answers) - 1)]
