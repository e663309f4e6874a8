"""HTTP as it comes from the socket: a little at a time, so that nobody's bytes hold the loop.

One read may bring 256 kB. As chunks of a single byte that is 43,000 events of the parser, and two
seconds in which nobody else is served; and no key is needed to send them. So of what came only a
slice is parsed in one turn of the loop, slices of all connections take turns, and who goes on to
send more frame than content is cut off. The body of a request that declares its length is one event
however long it is, and needs no slices.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

SLICE_BYTES = 512  # at six bytes an event, about 3 ms of parsing
MOST_FRAME_BYTES = 32_768  # of chunks, beyond as much as they hold
FIRST_BYTES = 8192  # parsed at once: the head of any ordinary request


class Turns:
    """One slice in one turn of the loop, whoever's it is."""

    def __init__(self) -> None:
        self._waiting: deque[SlicedProtocol] = deque()

    def wait(self, protocol: SlicedProtocol) -> None:
        if not self._waiting:
            asyncio.get_running_loop().call_soon(self._turn)
        self._waiting.append(protocol)

    def _turn(self) -> None:
        self._waiting[0].parse_slice()
        protocol = self._waiting.popleft()
        if protocol.has_more:
            self._waiting.append(protocol)
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._turn)


class SlicedProtocol(H11Protocol):
    """Parses what was received in slices where each byte may be an event."""

    def __init__(self, *args: Any, turns: Turns, **more: Any) -> None:
        super().__init__(*args, **more)
        self._turns = turns
        self._came = bytearray()
        self._frame = 0  # bytes of chunks that held nothing, less those that they held

    @property
    def has_more(self) -> bool:
        return bool(self._came)

    def data_received(self, data: bytes) -> None:
        if not self._came:
            if self._is_plain_body():
                super().data_received(data)
                return
            head, data = data[:FIRST_BYTES], data[FIRST_BYTES:]
            super().data_received(head)
            if not data or self.transport.is_closing():
                return
            if self._is_plain_body():
                super().data_received(data)
                return
            self._turns.wait(self)
        self._came += data
        self.transport.pause_reading()

    def parse_slice(self) -> None:
        """Go on with what has come; all of it once it is known to be the body of one event."""
        size = len(self._came) if self._is_plain_body() else SLICE_BYTES
        data = bytes(self._came[:size])
        del self._came[:size]
        if self.transport.is_closing():
            self._came.clear()
            return
        held = len(self.cycle.body) if self.cycle is not None else 0
        super().data_received(data)
        held = max(len(self.cycle.body) - held, 0) if self.cycle is not None else 0
        self._frame = max(self._frame + len(data) - 2 * held, 0)
        if self._frame > MOST_FRAME_BYTES:
            self._cut_off()
        elif not self._came and not self.flow.read_paused:
            self.transport.resume_reading()

    def _cut_off(self) -> None:
        self._came.clear()
        if self.conn.our_state is h11.SEND_RESPONSE:
            self.send_400_response("The chunks of this request are too small.")
        else:
            self.transport.close()

    def _is_plain_body(self) -> bool:
        """Whether what comes next belongs to a body whose length was declared."""
        if self.cycle is None or not self.cycle.more_body:
            return False
        return not any(name == b"transfer-encoding" for name, _ in self.headers)
