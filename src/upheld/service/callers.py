"""Who is asking: nothing under `/v1` is reached without a key, whatever its route.

The check stands before routing and before the body is read, so a stranger learns nothing: not which
routes there are, nor whether a request would have fitted.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from upheld.errors import NotAllowedError, UnknownCallerError, UpheldError
from upheld.service.deadline import STATE_SECONDS, at_most
from upheld.service.opened import Service
from upheld.service.problems import problem_response, tell
from upheld.service.state import keys
from upheld.service.state.keys import KeyScope

PROTECTED = "/v1"
# Clients of OpenAI's API send something in any case.
_NO_KEY = (None, "Bearer dev")
_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
# For the OpenAPI document; the check itself is `Door`.
_bearer = HTTPBearer(auto_error=False, description="An API key: uph_…")


@dataclass(frozen=True, slots=True)
class Caller:
    """Whose request it is, and what its key may do and see."""

    tenant: UUID
    key: str  # the prefix: a name, not a secret
    scopes: frozenset[KeyScope]
    labels: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class Door:
    """Lets nobody in without a live key."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if scope["type"] == "http" and (path == PROTECTED or path.startswith(f"{PROTECTED}/")):
            try:
                caller = await _caller(scope["app"].state.service, scope)
            except UpheldError as error:
                tell(error)
                await problem_response(error, path)(scope, receive, send)
                return
            scope.setdefault("state", {})["caller"] = caller
        await self.app(scope, receive, send)


async def _caller(service: Service, scope: Scope) -> Caller:
    given = Headers(scope=scope).get("authorization")
    if service.dev is not None and given in _NO_KEY and _from_this_machine(scope):
        return Caller(service.dev, "dev", frozenset(KeyScope), None)
    scheme, _, token = (given or "").partition(" ")
    text = token.strip() if scheme.lower() == "bearer" else ""
    key = await at_most(STATE_SECONDS, keys.verify(service.database, text))
    if key is None:
        raise UnknownCallerError(
            "This request has no key that is valid here.",
            help="Send the header Authorization: Bearer uph_…",
        )
    return Caller(key.tenant, key.prefix, key.scopes, key.labels)


def _from_this_machine(scope: Scope) -> bool:
    """Also by the name that was asked for: a web page could give our address a name of its own."""
    client = scope.get("client")
    try:
        near = client is not None and ipaddress.ip_address(client[0]).is_loopback
    except ValueError:
        return False
    host = Headers(scope=scope).get("host", "")
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    return near and name in _LOOPBACK_NAMES


def tenant_of(scope: Scope) -> str | None:
    """For logs: whose request it is, once the door has let it in."""
    caller: Caller | None = scope.get("state", {}).get("caller")
    return None if caller is None else str(caller.tenant)


def _may(scope: KeyScope) -> Callable[[Request, HTTPAuthorizationCredentials | None], Caller]:
    def check(
        request: Request,
        _shown: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)],
    ) -> Caller:
        caller: Caller = request.state.caller
        if scope not in caller.scopes:
            raise NotAllowedError(
                f"This key may not {scope}.",
                help="`upheld admin key add TENANT --scope` makes one that may.",
            )
        return caller

    return check


Asker = Annotated[Caller, Depends(_may(KeyScope.ASK))]
Checker = Annotated[Caller, Depends(_may(KeyScope.VERIFY))]
Reader = Annotated[Caller, Depends(_may(KeyScope.READ))]
Writer = Annotated[Caller, Depends(_may(KeyScope.WRITE))]


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


Parts = Annotated[Service, Depends(_service)]
