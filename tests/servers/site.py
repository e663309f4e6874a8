"""A small web site on loopback, with a search of its own, in a thread."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Resource:
    body: str = ""
    status: int = 200
    kind: str = "text/html; charset=utf-8"
    location: str = ""


@dataclass
class Site:
    """Its address, and the paths that it was asked for."""

    resources: Mapping[str, Resource]
    found: tuple[str, ...]  # what a search of the site finds, whatever the query
    url: str = ""
    asked: list[str] = field(default_factory=list)

    @property
    def port(self) -> int:
        return urlsplit(self.url).port or 80

    @property
    def search_url(self) -> str:
        return f"{self.url}/search?q={{query}}"

    def answer(self, path: str) -> Resource:
        self.asked.append(path)
        if not path.startswith("/search?"):
            return self.resources.get(path, Resource(status=404))
        results = [
            {"url": self.url + each, "title": f"Result {each}", "content": "A page."}
            for each in self.found
        ]
        return Resource(json.dumps({"results": results}), kind="application/json")


@contextmanager
def running_site(resources: Mapping[str, Resource], found: tuple[str, ...]) -> Iterator[Site]:
    """Serve until the block ends."""
    site = Site(resources, found)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer = site.answer(self.path)
            body = answer.body.encode()
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.kind)
            self.send_header("Content-Length", str(len(body)))
            if answer.location:
                self.send_header("Location", answer.location)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Tests look at `asked` instead."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        site.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield site
        finally:
            server.shutdown()
            thread.join()
