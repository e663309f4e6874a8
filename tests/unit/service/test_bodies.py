"""How many bytes are taken by each route, and how many are held at once."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from starlette.exceptions import HTTPException
from starlette.types import Message, Receive, Scope, Send

from upheld.settings import load_settings
from upheld_service.http.bodies import FILE_HELD_BYTES, BodyLimit, HeldBytes

JSON = [(b"content-type", b"application/json")]


class Echo:
    """An application that reads its body to the end, and notes what was held then."""

    def __init__(self, held: HeldBytes) -> None:
        self.held, self.peak, self.called = held, 0, False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.called = True
        while (await receive()).get("more_body"):
            pass
        self.peak = self.held.total
        await send({"type": "http.response.start", "status": 200, "headers": []})


async def sent(
    held: HeldBytes,
    chunks: list[int],
    *,
    method: str = "POST",
    path: str = "/v1/verify",
    length: int | None = None,
    headers: list[tuple[bytes, bytes]] | None = None,
    tenant: str = "one",
    query: bytes = b"",
) -> tuple[int, Echo]:
    """The status of a request whose body comes in chunks of these sizes."""
    app = Echo(held)
    limit = BodyLimit(app, body_bytes=10_000_000, file_bytes=100_000_000, held=held)
    status = 0
    coming = list(chunks)

    async def receive() -> Message:
        size = coming.pop(0) if coming else 0
        return {"type": "http.request", "body": b"x" * size, "more_body": bool(coming)}

    async def send(message: Message) -> None:
        nonlocal status
        status = message.get("status", status)

    declared = [] if length is None else [(b"content-length", str(length).encode())]
    scope: dict[str, Any] = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": query,
        "headers": [*declared, *(headers or [])],
        "state": {"caller": SimpleNamespace(tenant=tenant)},
    }
    try:
        await limit(scope, receive, send)
    except HTTPException as refused:
        status = refused.status_code
    return status, app


@pytest.mark.parametrize(
    ("method", "path", "most"),
    [
        ("POST", "/v1/answers", 128_000),
        ("POST", "/v1/chat/completions", 2_000_000),
        ("POST", "/v1/verify", 10_000_000),
        ("POST", "/v1/collections/staff/guarantee", 10_000_000),
        ("DELETE", "/v1/collections/staff", 16_000),
        ("GET", "/v1/jobs", 16_000),
        ("POST", "/v1/nothing", 16_000),
        ("PUT", "/v1/collections/staff/documents/rota", 100_000_000),
    ],
)
async def test_each_route_takes_what_it_needs(method: str, path: str, most: int) -> None:
    held = HeldBytes(100_000_000, 50_000_000)
    for length in (most, most + 1):
        status, app = await sent(held, [], method=method, path=path, length=length)
        assert (status, app.called) == ((200, True) if length == most else (413, False))
    half = most // 2
    assert (await sent(held, [half, half], method=method, path=path))[0] == 200
    assert (await sent(held, [half, half, 2], method=method, path=path))[0] == 413
    assert held.total == 0


async def test_an_address_in_place_of_a_file_is_short() -> None:
    held = HeldBytes(100_000_000, 50_000_000)
    path = "/v1/collections/staff/documents/rota"
    for length, status in ((32_000, 200), (32_001, 413)):
        assert (await sent(held, [length], method="PUT", path=path, headers=JSON))[0] == status


async def test_a_length_that_is_no_number_is_not_believed() -> None:
    held = HeldBytes(100_000_000, 50_000_000)
    for given in (b"9" * 5000, b"-1", b"1_0", "\u0663".encode()):
        headers = [(b"content-length", given)]
        assert (await sent(held, [11_000_000], headers=headers))[0] == 413


async def test_a_query_is_short() -> None:
    held = HeldBytes(100_000_000, 50_000_000)
    assert (await sent(held, [], query=b"a" * 32_000))[0] == 200
    assert (await sent(held, [], query=b"a" * 32_001))[0] == 414


async def test_all_requests_together_hold_no_more_than_they_may() -> None:
    held = HeldBytes(most=12_000_000, of_tenant=9_000_000)
    held.add("other", 5_000_000)
    # Refused before a byte is read, and while they come; nothing is left behind.
    for length in (8_000_000, None):
        status, app = await sent(held, [4_000_000, 4_000_000], length=length)
        assert (status, app.called, held.total) == (503, length is None, 5_000_000)
    held.add("one", 2_000_000)
    for length in (7_500_000, None):
        status, app = await sent(held, [7_500_000], length=length)
        assert (status, app.called, held.total) == (429, length is None, 7_000_000)
    status, app = await sent(held, [4_000_000, 1_000_000], length=5_000_000)
    assert (status, app.peak, held.total) == (200, 12_000_000, 7_000_000)


async def test_who_declares_much_and_sends_nothing_holds_nothing() -> None:
    held = HeldBytes(12_000_000, 12_000_000)
    _, app = await sent(held, [10], length=10_000_000)
    assert (app.peak, held.total) == (10, 0)


async def test_a_file_counts_as_far_as_it_is_held() -> None:
    held = HeldBytes(20_000_000, 20_000_000)
    path = "/v1/collections/staff/documents/rota"
    status, app = await sent(held, [10_000_000] * 9, method="PUT", path=path)
    assert (status, app.peak, held.total) == (200, FILE_HELD_BYTES, 0)


def test_a_single_request_always_fits() -> None:
    held = HeldBytes.of(load_settings(max_held_mb=1, max_request_mb=40))
    assert (held.most, held.of_tenant) == (40_000_000, 40_000_000)
    held = HeldBytes.of(load_settings())
    assert (held.most, held.of_tenant) == (100_000_000, 50_000_000)
