"""How long a connection may take to send its request, and how many connections stay open.

Uvicorn waits for a head and a body without limit: a client that opens a few hundred connections and
sends half a request on each takes all file handles of a process, and needs no key for it. So a head
must be complete after `head_seconds`, the bytes of a body must keep coming, and replies must be
read. If there are too many connections, the one that has been idle for longest is closed.

HTTP is parsed in slices, so that no client's bytes block the event loop. One read may return 256
kB. As chunks of a single byte that is 43,000 parser events, and two seconds in which no other
client is served; and no key is needed to send them. So only a slice is parsed in one turn of the
loop, connections take turns, and a client that keeps sending more framing than content is cut off.
The body of a request that declares its length is one event however long it is, and needs no slices.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import Any, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from upheld.settings import Settings

SLICE_BYTES = 512  # at six bytes per event, about 3 ms of parsing
MOST_FRAME_BYTES = 32_768  # of chunk framing, beyond the bytes of content
FIRST_BYTES = 8192  # parsed at once: the head of any ordinary request


class Turns:
    """Parses one slice per turn of the event loop, of one connection after the other."""

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
    """Parses received bytes in slices where each byte may be an event."""

    def __init__(self, *args: Any, turns: Turns, **more: Any) -> None:
        super().__init__(*args, **more)
        self._turns = turns
        self._came = bytearray()
        self._frame = 0  # bytes of chunk framing, less the bytes of content

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
        """Parse the next slice, or everything if it is the body of one event."""
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
        """Return whether the next bytes belong to a body with a declared length."""
        if self.cycle is None or not self.cycle.more_body:
            return False
        return not any(name == b"transfer-encoding" for name, _ in self.headers)


LEAST_RATE = 2_000  # bytes per second of a body, after the first `body_seconds`
TAKE_SECONDS = 60.0  # for a client to read what is written to it
_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n"
    b"Connection: close\r\n\r\n"
)


@dataclass(slots=True)
class Connections:
    """The connections of one process, and their limits."""

    most: int
    head_seconds: float
    body_seconds: float
    idle: dict[PatientProtocol, None] = field(default_factory=dict)  # without a request, by age

    @classmethod
    def of(cls, settings: Settings) -> Connections:
        return cls(settings.connections, settings.head_seconds, settings.body_seconds)


def patient(settings: Settings) -> type[PatientProtocol]:
    """Return the protocol for one server, in the form that uvicorn needs."""
    made = partial(PatientProtocol, turns=Turns(), open_connections=Connections.of(settings))
    return cast("type[PatientProtocol]", made)


class _Phase(Enum):
    IDLE = 0  # between two requests: uvicorn closes the connection soon
    HEAD = 1
    BODY = 2
    ANSWER = 3  # the request is complete


class PatientProtocol(SlicedProtocol):
    """Closes connections whose client is too slow."""

    def __init__(self, *args: Any, open_connections: Connections, **more: Any) -> None:
        super().__init__(*args, **more)
        self._all = open_connections
        self._phase = _Phase.IDLE
        self._began = self._last = 0.0  # of this phase; of its last bytes
        self._bytes = 0
        self._timer: asyncio.TimerHandle | None = None
        self._taking: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self._all.most:
            oldest = next(iter(self._all.idle), None)
            if oldest is None:
                transport.write(_FULL)
                transport.close()
                return
            oldest.transport.abort()
            del self._all.idle[oldest]
        self._all.idle[self] = None
        self._enter(_Phase.HEAD)

    def data_received(self, data: bytes) -> None:
        if self._phase is _Phase.IDLE:
            self._enter(_Phase.HEAD)
        self._last = self.loop.time()
        self._bytes += len(data)
        super().data_received(data)
        self._look()

    def parse_slice(self) -> None:
        super().parse_slice()
        self._look()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._look()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._stop()
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._taking is None:
            self._taking = self.loop.call_later(TAKE_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._taking is not None:
            self._taking.cancel()
            self._taking = None

    def _look(self) -> None:
        """Update the phase after anything that may have changed it."""
        if self.transport.is_closing():
            return
        cycle = self.cycle
        if cycle is None or cycle.response_complete:
            self._all.idle.setdefault(self, None)
            if self._phase is not _Phase.HEAD:
                self._enter(_Phase.IDLE)
            return
        self._all.idle.pop(self, None)
        wanted = _Phase.BODY if cycle.more_body else _Phase.ANSWER
        if self._phase is not wanted:
            self._enter(wanted)

    def _enter(self, phase: _Phase) -> None:
        self._phase = phase
        self._began = self._last = self.loop.time()
        self._bytes = 0
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if phase in (_Phase.HEAD, _Phase.BODY):
            self._timer = self.loop.call_at(self._deadline(), self._check)

    def _deadline(self) -> float:
        if self._phase is _Phase.HEAD:
            return self._began + self._all.head_seconds
        seconds = self._all.body_seconds
        return min(self._last + seconds, self._began + seconds + self._bytes / LEAST_RATE)

    def _check(self) -> None:
        """Close on timeout, unless bytes have come since, or it is we who do not read them."""
        if self._phase is _Phase.BODY and self._is_held_up():
            self._enter(_Phase.BODY)
        elif (deadline := self._deadline()) > self.loop.time():
            self._timer = self.loop.call_at(deadline, self._check)
        else:
            self._end()

    def _is_held_up(self) -> bool:
        return self.flow.read_paused or self.has_more or self.cycle.waiting_for_100_continue

    def _end(self) -> None:
        """Send a 408 if a request had begun, and close."""
        cycle = self.cycle
        begun = self._bytes or self._phase is _Phase.BODY
        if begun and self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            told = b"The request did not come in time."
            head = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
            for event in (
                h11.Response(status_code=408, headers=head, reason=b"Request Timeout"),
                h11.Data(data=told),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(event))
        if cycle is not None and not cycle.response_complete:
            cycle.disconnected = True  # the work on the request sees a disconnect
            cycle.message_event.set()
        self.transport.close()

    def _stop(self) -> None:
        self._all.idle.pop(self, None)
        for timer in (self._timer, self._taking):
            if timer is not None:
                timer.cancel()
        self._timer = self._taking = None
