"""Connections to checked addresses only: the address that is checked is the one connected to."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence
from ipaddress import ip_address

import httpcore2

from upheld.edge.web.addresses import Address, Network, literal, why_bad_host, why_forbidden
from upheld.errors import WebRefusedError, WebUnavailableError

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
_MOST_TRIED = 4  # addresses per name; a name may list hundreds
_SocketOption = (
    tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]
)


async def resolve(host: str, port: int) -> list[str]:
    """Return the addresses of a name, as the system resolves it."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


class GuardedBackend(httpcore2.AsyncNetworkBackend):
    """Resolves a name once, checks every answer, and connects to a checked address by number.

    TLS and the Host header keep the name: the HTTP layer above is not aware of this.
    """

    def __init__(
        self,
        resolve: Resolve = resolve,
        *,
        allow: frozenset[Network] = frozenset(),
        backend: httpcore2.AsyncNetworkBackend | None = None,
    ) -> None:
        self._resolve = resolve
        self._allow = allow
        self._backend = backend or httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 -- httpcore's signature
        local_address: str | None = None,
        socket_options: Iterable[_SocketOption] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        addresses = await self._checked(host, port)
        failed: Exception | None = None
        for address in addresses[:_MOST_TRIED]:
            try:
                return await self._backend.connect_tcp(
                    str(address), port, timeout, local_address, socket_options
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failed = error
        raise WebUnavailableError(f"cannot connect to {host}") from failed

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109 -- httpcore's signature
        socket_options: Iterable[_SocketOption] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        raise WebRefusedError("a page is never fetched from a socket of this machine")

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def _checked(self, host: str, port: int) -> list[Address]:
        """Return the addresses of the host; raises `WebRefusedError` if one is forbidden."""
        if (reason := why_bad_host(host, self._allow)) is not None:
            raise WebRefusedError(f"{host} is not fetched: {reason}")
        spelt = literal(host)
        try:
            found = () if spelt else await self._resolve(host, port)
            answers = [spelt] if spelt else [ip_address(answer) for answer in found]
        except (OSError, UnicodeError, ValueError) as error:
            raise WebUnavailableError(f"{host} has no address", detail=str(error)) from error
        if not answers:
            raise WebUnavailableError(f"{host} has no address")
        for address in answers:
            if (reason := why_forbidden(address, self._allow)) is not None:
                # Without the address, which would reveal to the caller what our name server knows.
                raise WebRefusedError(
                    f"{host} is not fetched: its address is {reason}", detail=str(address)
                )
        return answers
