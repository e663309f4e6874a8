"""The login of a browser: a key is exchanged for a cookie that scripts cannot read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fastapi import APIRouter, Request, Response

from upheld.errors import NotAllowedError
from upheld_service.auth.middleware import SESSION_COOKIE, Anyone, Parts, Principal
from upheld_service.db import audit, sessions
from upheld_service.db.keys import KeyScope
from upheld_service.db.sessions import LASTS
from upheld_service.http.deadline import STATE_SECONDS, at_most
from upheld_service.resources import Service
from upheld_service.routes.replies import as_json

router = APIRouter(prefix="/v1/session", tags=["session"])
_NO_CONTENT = 204
_NOTHING: dict[int | str, dict[str, Any]] = {_NO_CONTENT: {"description": "The session ended."}}


@dataclass(frozen=True, slots=True)
class SessionView:
    """Who is logged in, and what their key may do and see; `labels` is null for all documents."""

    key: str
    scopes: frozenset[KeyScope]
    labels: frozenset[str] | None
    expires_at: datetime | None  # null: not a session, but a key or `--dev`
    dev: bool


@router.post("", summary="Log in", response_model=SessionView)
async def log_in(request: Request, service: Parts, caller: Anyone) -> Response:
    """Send the key once, in `Authorization`; the reply sets a cookie for later requests.

    Requests with the cookie that are not GET need the header `X-Upheld-Request`, which no other
    site can send. With `upheld serve --dev` no key is needed, and no cookie is set.
    """
    if caller.session is not None:
        raise NotAllowedError("A session cannot start another one.", help="Send the key.")
    if caller.key == "dev":
        return as_json(_view(service, caller))
    token, ends = await at_most(STATE_SECONDS, _begin(service, caller))
    view = SessionView(caller.key, caller.scopes, caller.labels, ends, dev=False)
    reply = as_json(view)
    seconds = int(LASTS.total_seconds())
    _set_cookie(request, service, reply, token, seconds)
    return reply


@router.get("", summary="Who is logged in", response_model=SessionView)
async def get_session(service: Parts, caller: Anyone) -> Response:
    """The key of this request, by cookie or header; 401 without one."""
    return as_json(_view(service, caller))


@router.delete(
    "", summary="Log out", status_code=_NO_CONTENT, responses=_NOTHING, response_class=Response
)
async def log_out(request: Request, service: Parts, caller: Anyone) -> Response:
    """End the session of the cookie; with a key there is nothing to end."""
    if caller.session is not None:
        await at_most(STATE_SECONDS, _end(service, caller, caller.session))
    reply = Response(status_code=_NO_CONTENT)
    _set_cookie(request, service, reply, "", 0)
    return reply


def _view(service: Service, caller: Principal) -> SessionView:
    dev = service.dev is not None and caller.key == "dev"
    return SessionView(caller.key, caller.scopes, caller.labels, caller.session_ends, dev)


async def _begin(service: Service, caller: Principal) -> tuple[str, datetime]:
    async with service.database.session(caller.tenant, labels=caller.labels) as session:
        begun = await sessions.begin(session, caller.key)
        await audit.record(session, actor=caller.key, action="session.start", subject=caller.key)
        return begun


async def _end(service: Service, caller: Principal, hash: bytes) -> None:
    async with service.database.session(caller.tenant, labels=caller.labels) as session:
        await sessions.end(session, hash)


def _set_cookie(
    request: Request, service: Service, reply: Response, token: str, seconds: int
) -> None:
    # Behind a proxy that ends TLS the request looks like http: the public address tells.
    public = service.settings.public_url or ""
    reply.set_cookie(
        SESSION_COOKIE,
        token,
        max_age=seconds,
        path="/",
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https" or public.startswith("https://"),
    )
    reply.headers["Cache-Control"] = "no-store"
