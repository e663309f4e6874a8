"""Authentication: no path under `/v1` is reached without a key, whatever its route.

The check runs before routing and before the body is read, so a stranger learns nothing: neither
which routes exist, nor whether a request would have been valid.
"""

from __future__ import annotations

import asyncio
import ipaddress
import time
from collections import deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, TypeVar
from uuid import UUID

from fastapi import Depends, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, Field
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from upheld._internal.concurrency import meanwhile
from upheld.errors import NotAllowedError, StateUnavailableError, UnknownCallerError, UpheldError
from upheld_service.db import keys, sessions
from upheld_service.db.keys import KeyScope
from upheld_service.http.bodies import parsed
from upheld_service.http.deadline import STATE_SECONDS, leave
from upheld_service.http.problems import problem_response, tell
from upheld_service.resources import Service

T = TypeVar("T")
PROTECTED = "/v1"
QUICK_SECONDS = 0.25  # a key is usually found in a millisecond
MOST_READ, MOST_STRINGS = 128_000, 2_000  # of a body whose sender is not known yet
# Clients of OpenAI's API always send a key.
_NO_KEY = (None, "Bearer dev")
SESSION_COOKIE = "upheld_session"
REQUEST_HEADER = "X-Upheld-Request"
_SAFE = ("GET", "HEAD", "OPTIONS")
_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
# For the OpenAPI document; the check itself is `AuthMiddleware`.
_bearer = HTTPBearer(auto_error=False, description="An API key: uph_…")


@dataclass(frozen=True, slots=True)
class Principal:
    """Who makes a request: tenant, key, and what the key may do and see."""

    tenant: UUID
    key: str  # the prefix, which is public
    scopes: frozenset[KeyScope]
    labels: frozenset[str] | None
    session: bytes | None = None  # the hash of a browser's session, if it came by cookie
    session_ends: datetime | None = None


@dataclass(frozen=True, slots=True)
class AuthMiddleware:
    """Refuses requests under `/v1` without a valid key, and sets `state.caller`."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if scope["type"] == "http" and (path == PROTECTED or path.startswith(f"{PROTECTED}/")):
            body = _Body(scope, receive)
            receive = body.receive
            try:
                caller = await _caller(scope["app"].state.service, scope, body)
            except UpheldError as error:
                tell(error)
                await problem_response(error, path)(scope, receive, send)
                return
            scope.setdefault("state", {})["caller"] = caller
        await self.app(scope, receive, send)


class _Body:
    """A body whose beginning may have been read already, to find its budget."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self._scope, self._receive = scope, receive
        self._read: deque[Message] = deque()

    async def receive(self) -> Message:
        return self._read.popleft() if self._read else await self._receive()

    async def seconds(self) -> float | None:
        """Return the budget's seconds from the body; None if it has none, or is too long."""
        headers = Headers(scope=self._scope)
        length = headers.get("content-length", "")
        if not (length.isdecimal() and len(length) < 10 and int(length) <= MOST_READ):
            return None
        body, more = b"", True
        while more:
            message = await self._receive()
            self._read.append(message)
            body += message.get("body", b"")
            more = message.get("more_body", False)
        self._scope.setdefault("state", {})["received_at"] = time.monotonic()
        try:
            return float(_Budgeted.model_validate(parsed(body, MOST_STRINGS)).budget.seconds)
        except (HTTPException, ValueError):  # the route reports the error once the key is known
            return None


class _Seconds(BaseModel):
    seconds: float = Field(gt=0)


class _Budgeted(BaseModel):
    budget: _Seconds


async def _within_budget(look_up: Coroutine[Any, Any, T], body: _Body) -> T:
    """Return the result of the database, or fail when the request's budget is used up.

    The key is checked before the body is read, but the budget is in the body. So the body is read
    before the key is known only if the database is slow.
    """
    task, began, limit = asyncio.create_task(look_up), time.monotonic(), STATE_SECONDS
    try:
        await asyncio.wait((task,), timeout=min(QUICK_SECONDS, limit))
        if not task.done():
            async with meanwhile(body.seconds()) as reading:
                left = began + limit - time.monotonic()
                await asyncio.wait(
                    (task, reading), timeout=left, return_when=asyncio.FIRST_COMPLETED
                )
                if reading.done() and not reading.exception():
                    limit = min(limit, reading.result() or limit)
        await asyncio.wait((task,), timeout=max(began + limit - time.monotonic(), 0))
        if not task.done():
            raise StateUnavailableError("The database does not answer in time.")
        return task.result()
    finally:
        await leave(task)


async def _caller(service: Service, scope: Scope, body: _Body) -> Principal:
    headers = Headers(scope=scope)
    given = headers.get("authorization")
    if service.dev is not None and given in _NO_KEY and _from_this_machine(scope):
        if _is_of_other_site(headers):
            raise NotAllowedError("Another site may not send requests here.")
        return Principal(service.dev, "dev", frozenset(KeyScope), None)
    token = cookie_parser(headers.get("cookie", "")).get(SESSION_COOKIE)
    if given is None and token:
        return await _by_cookie(service, scope["method"], headers, token, body)
    scheme, _, token = (given or "").partition(" ")
    text = token.strip() if scheme.lower() == "bearer" else ""
    key = await _within_budget(keys.verify(service.database, text), body)
    if key is None:
        raise UnknownCallerError(
            "The API key is missing or not valid.",
            help="Send the header Authorization: Bearer uph_…",
        )
    return Principal(key.tenant, key.prefix, key.scopes, key.labels)


async def _by_cookie(
    service: Service, method: str, headers: Headers, token: str, body: _Body
) -> Principal:
    """Return who a browser is logged in as; raises unless a page of ours sent the request.

    A browser adds cookies by itself. `SameSite=Strict` keeps them from other sites, but not from
    other names and ports of this one: those cannot send our header without asking us first.
    """
    found = await _within_budget(sessions.verify(service.database, token), body)
    if found is None:
        raise UnknownCallerError("The session has ended.", help="Log in: POST /v1/session.")
    if _is_of_other_site(headers) or (method not in _SAFE and REQUEST_HEADER not in headers):
        raise NotAllowedError(
            "Another site may not send requests here.",
            help=f"Requests with a cookie need the header {REQUEST_HEADER}.",
        )
    key = found.key
    return Principal(key.tenant, key.prefix, key.scopes, key.labels, found.hash, found.expires_at)


def _is_of_other_site(headers: Headers) -> bool:
    """Return whether a browser says that a page of another origin made the request."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is not None and origin.partition("://")[2] != headers.get("host")


def _from_this_machine(scope: Scope) -> bool:
    """Also check the Host header: a web page could give our address a name of its own."""
    client = scope.get("client")
    try:
        near = client is not None and ipaddress.ip_address(client[0]).is_loopback
    except ValueError:
        return False
    host = Headers(scope=scope).get("host", "")
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    return near and name in _LOOPBACK_NAMES


def tenant_of(scope: Scope) -> str | None:
    """Return the tenant of an authenticated request, for logs."""
    caller: Principal | None = scope.get("state", {}).get("caller")
    return None if caller is None else str(caller.tenant)


def _may(scope: KeyScope) -> Callable[[Request, HTTPAuthorizationCredentials | None], Principal]:
    def check(
        request: Request,
        _shown: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)],
    ) -> Principal:
        caller: Principal = request.state.caller
        if scope not in caller.scopes:
            raise NotAllowedError(
                f"This key lacks the scope {scope}.",
                help=f"Make a key that has it: upheld admin key add TENANT --scope {scope}",
            )
        return caller

    return check


def _anyone(
    request: Request,
    _shown: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)],
) -> Principal:
    caller: Principal = request.state.caller
    return caller


Anyone = Annotated[Principal, Depends(_anyone)]  # with any key
Asker = Annotated[Principal, Depends(_may(KeyScope.ASK))]
Checker = Annotated[Principal, Depends(_may(KeyScope.VERIFY))]
Reader = Annotated[Principal, Depends(_may(KeyScope.READ))]
Writer = Annotated[Principal, Depends(_may(KeyScope.WRITE))]


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


Parts = Annotated[Service, Depends(_service)]
