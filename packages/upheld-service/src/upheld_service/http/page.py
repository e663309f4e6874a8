"""`/`: the page for people, built from `web/` and served from this package.

Nothing of it comes from elsewhere, and its policy allows no script or style but its own files: what
a document says is shown, never run.
"""

from __future__ import annotations

import gzip
import mimetypes
from dataclasses import dataclass
from pathlib import Path

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException

BUNDLE = Path(__file__).parents[1] / "page"
# Addresses of the page's views; each has its own path, so that it can be bookmarked.
VIEWS = ("read", "inside", "check", "documents", "history", "review", "compare")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_FOR_EVER = "public, max-age=31536000, immutable"  # the name of an asset has the hash of its bytes
_SMALL = 1000  # bytes that are not worth compressing
_TYPES = {".js": "text/javascript", ".woff2": "font/woff2", ".md": "text/plain"}
_MISSING = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Upheld</title>
<h1>The page is not built</h1>
<p>In a checkout, run <code>make page</code> (it needs Node 20 or newer) and start the service
again. Wheels bring the page with them.</p>
<p>For programs everything is there: <a href="/docs">/docs</a>.</p></html>
"""


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file of the bundle as it is sent, whole and compressed."""

    content: bytes
    compressed: bytes | None
    media_type: str
    cache: str

    def reply(self, request: Request) -> Response:
        """Return the file, compressed if the browser says that it can read that."""
        headers = {**HEADERS, "Cache-Control": self.cache, "Vary": "Accept-Encoding"}
        if self.compressed is not None and "gzip" in request.headers.get("accept-encoding", ""):
            headers["Content-Encoding"] = "gzip"
            return Response(self.compressed, headers=headers, media_type=self.media_type)
        return Response(self.content, headers=headers, media_type=self.media_type)


def read_bundle(folder: Path) -> dict[str, PageFile]:
    """Read all files of a bundle by their path in it; nothing if there is none."""
    return {
        path.relative_to(folder).as_posix(): _read(path, folder)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _read(path: Path, folder: Path) -> PageFile:
    content = path.read_bytes()
    media_type = _TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "text/plain"
    pays = len(content) > _SMALL and not media_type.startswith("font/")
    compressed = gzip.compress(content, 9, mtime=0) if pays else None
    cache = _FOR_EVER if path.parent == folder / "assets" else "no-cache"
    return PageFile(content, compressed, media_type, cache)


def install(app: FastAPI, folder: Path = BUNDLE) -> None:
    """Serve the bundle at `/`, at the addresses of its views, and under the names of its files."""
    files = read_bundle(folder)

    def index(request: Request) -> Response:
        if (found := files.get("index.html")) is None:
            return Response(_MISSING, 503, headers=HEADERS, media_type="text/html")
        return found.reply(request)

    def asset(request: Request) -> Response:
        if (found := files.get(request.url.path.removeprefix("/"))) is None:
            raise HTTPException(404)
        return found.reply(request)

    views = ("/", *(f"/{each}{rest}" for each in VIEWS for rest in ("", "/{rest:path}")))
    tops = tuple(f"/{name}" for name in files if "/" not in name and name != "index.html")
    for path, handler in (
        *((each, index) for each in views),
        *((each, asset) for each in ("/assets/{name}", *tops)),
    ):
        app.add_api_route(path, handler, methods=["GET", "HEAD"], include_in_schema=False)
