"""Serve the tools over standard input and output, or over HTTP."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable
from ipaddress import ip_address

import uvicorn
from mcp.server.mcpserver import MCPServer
from pydantic import SecretStr
from starlette.authentication import AuthenticationBackend, AuthenticationError
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp

from upheld.errors import UsageError
from upheld.resources.open import open_resources
from upheld.settings import Settings
from upheld_service.http.connections import listening
from upheld_service.http.patience import patient
from upheld_service.mcp.tools import server

PATH = "/mcp"


class OneKey(AuthenticationBackend):
    """Accepts only the key of the settings, as a bearer token."""

    def __init__(self, key: SecretStr) -> None:
        self._expected = f"Bearer {key.get_secret_value()}".encode()

    async def authenticate(self, conn: HTTPConnection) -> None:
        given = conn.headers.get("authorization", "").encode()
        if not hmac.compare_digest(given, self._expected):
            raise AuthenticationError("A key is needed: Authorization: Bearer KEY.")


def _refuse(conn: HTTPConnection, error: Exception) -> Response:
    headers = {"WWW-Authenticate": "Bearer"}
    return PlainTextResponse(str(error), status_code=401, headers=headers)


async def serve_stdio(settings: Settings, labels: Iterable[str] | None) -> None:
    """Serve the process that started this one, until it closes standard input."""
    parts = await open_resources(settings)
    try:
        await server(parts, labels).run_stdio_async()
    finally:
        await parts.close()


async def serve_http(
    settings: Settings,
    labels: Iterable[str] | None,
    *,
    host: str,
    port: int,
    ready: Callable[[str], None],
) -> None:
    """Serve every client with the key; without a key, only clients on this machine."""
    if settings.mcp_key is None and not is_loopback(host):
        raise UsageError(
            f"Without a key, {host} is not served: only loopback addresses are.",
            help="Set UPHELD_MCP_KEY to a long random string, or leave out --host.",
        )
    with listening(host, port) as listener:
        parts = await open_resources(settings)
        try:
            app = http_app(server(parts, labels), host, settings.mcp_key)
            shown = f"[{host}]" if ":" in host else host
            ready(f"http://{shown}:{listener.getsockname()[1]}{PATH}")
            protocol = patient(settings)
            config = uvicorn.Config(app, http=protocol, log_config=None, access_log=False)
            await uvicorn.Server(config).serve(sockets=[listener])
        finally:
            await parts.close()


def http_app(tools: MCPServer, host: str, key: SecretStr | None) -> ASGIApp:
    """Serve the protocol at `/mcp`, without sessions, so that any process can serve any request."""
    # On loopback the SDK refuses other Host and Origin headers, so web pages cannot call it.
    app = tools.streamable_http_app(streamable_http_path=PATH, stateless_http=True, host=host)
    if key is None:
        return app
    app.add_middleware(AuthenticationMiddleware, backend=OneKey(key), on_error=_refuse)
    return app


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a host; of names, only localhost counts."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
