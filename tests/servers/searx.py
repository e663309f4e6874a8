"""A real searx (Debian's package) in its own process, whose one engine asks a site of the test."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PROGRAM = shutil.which("searx-run")
START_SECONDS = 60.0
_BRAND = (
    "git_url",
    "git_branch",
    "issue_url",
    "docs_url",
    "public_instances",
    "wiki_url",
    "twitter_url",
)


@contextmanager
def running_searx(engine_url: str) -> Iterator[str]:
    """Start searx with one json engine, yield its base URL, and stop it for sure.

    The engine asks `engine_url` with `{query}` filled in, and reads `results` with `url`, `title`
    and `content`.
    """
    assert PROGRAM is not None
    port = _free_port()
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder, "settings.yml")
        settings.write_text(json.dumps(_settings(engine_url, port)))  # JSON is YAML
        with Path(folder, "log").open("wb") as log:
            process = subprocess.Popen(
                [PROGRAM],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={"PATH": os.environ["PATH"], "SEARX_SETTINGS_PATH": str(settings)},
            )
        try:
            base_url = f"http://127.0.0.1:{port}/"
            _wait_until_up(base_url, process, Path(folder, "log"))
            yield base_url
        finally:
            process.kill()
            process.wait()


def _settings(engine_url: str, port: int) -> dict[str, object]:
    engine = {
        "name": "site",
        "shortcut": "site",
        "engine": "json_engine",
        "enable_http": True,
        "search_url": engine_url,
        "results_query": "results",
        "url_query": "url",
        "title_query": "title",
        "content_query": "content",
        "categories": "general",
        "timeout": 10.0,
    }
    return {
        "general": {"debug": False, "instance_name": "test"},
        "brand": dict.fromkeys(_BRAND, ""),
        "search": {
            "safe_search": 0,
            "autocomplete": "",
            "default_lang": "",
            "ban_time_on_fail": 0,
            "max_ban_time_on_fail": 0,
            "formats": ["html", "json"],
        },
        "server": {
            "port": port,
            "bind_address": "127.0.0.1",
            "secret_key": secrets.token_hex(),
            "base_url": False,
            "image_proxy": False,
            "http_protocol_version": "1.1",
            "method": "GET",
            "default_http_headers": {},
        },
        "ui": {
            "static_path": "/usr/share/python3-searx/static",
            "templates_path": "/usr/share/python3-searx/templates",
            "default_theme": "oscar",
            "default_locale": "",
            "theme_args": {"oscar_style": "logicodev"},
        },
        "outgoing": {
            "request_timeout": 10.0,
            "useragent_suffix": "",
            "pool_connections": 10,
            "pool_maxsize": 10,
        },
        "engines": [engine],
        "locales": {"en": "English"},
        "doi_resolvers": {"oadoi.org": "https://oadoi.org/"},
        "default_doi_resolver": "oadoi.org",
        "enabled_plugins": [],
    }


def _wait_until_up(base_url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{base_url}healthz", timeout=5):
                return
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            time.sleep(0.1)
    raise RuntimeError(f"searx did not start (code {process.poll()}):\n{log.read_text()[-2000:]}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
