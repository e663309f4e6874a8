"""The proxy that tests break services with breaks nothing else."""

from __future__ import annotations

import asyncio
import gc
import socket

from tests.servers.fault_proxy import Fault, Streams, fault_proxy


async def nobody() -> Streams:
    await asyncio.Event().wait()
    raise AssertionError("unreachable")


async def test_who_comes_as_it_goes_down_is_not_left_waiting() -> None:
    """A connection that was accepted, and not handed over yet, was never closed."""
    async with fault_proxy(nobody) as proxy:
        with socket.create_connection(("127.0.0.1", proxy.port)):
            await asyncio.sleep(0)  # it is accepted in this turn of the loop, after this task
            asyncio.get_running_loop().call_soon(proxy._down)
            await asyncio.sleep(0.05)
    gc.collect()  # which tells of what was left open, and a warning fails the test


async def test_nothing_listens_once_it_refuses() -> None:
    async with fault_proxy(nobody) as proxy:
        await proxy.strike(Fault.REFUSED)
        with socket.socket() as caller:
            assert caller.connect_ex(("127.0.0.1", proxy.port)) != 0
        await proxy.heal()
        with socket.socket() as caller:
            assert caller.connect_ex(("127.0.0.1", proxy.port)) == 0
