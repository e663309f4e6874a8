"""How the page is served: complete, small, cacheable, and under a strict policy."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from tests.page.visiting import Served
from upheld_service.http.page import BUNDLE, POLICY, VIEWS, install

pytestmark = pytest.mark.real
WEB = Path(__file__).parents[2] / "web"
MOST_SCRIPT = 220_000  # bytes, compressed


def test_every_view_is_the_page_under_a_strict_policy(served: Served) -> None:
    assert "unsafe" not in POLICY
    for path in ("/", *(f"/{each}" for each in VIEWS), "/read/default/0", "/documents/a/b"):
        reply = httpx2.get(served.url + path)
        assert (reply.status_code, reply.text) == (200, (BUNDLE / "index.html").read_text())
        assert reply.headers["content-security-policy"] == POLICY
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["referrer-policy"] == "no-referrer"
        assert reply.headers["cache-control"] == "no-cache"
    assert "<style" not in reply.text
    assert "<script>" not in reply.text
    for path in ("/nowhere", "/assets/nothing.js", "/assets/..%2findex.html", "/index.html"):
        assert httpx2.get(served.url + path).status_code == 404


def test_files_are_compressed_and_cached_by_their_hash(served: Served) -> None:
    script = 0
    for file in (BUNDLE / "assets").iterdir():
        reply = httpx2.get(f"{served.url}/assets/{file.name}")
        assert reply.content == file.read_bytes()
        assert "immutable" in reply.headers["cache-control"]
        assert reply.headers["content-security-policy"] == POLICY
        if file.suffix == ".js":
            assert reply.headers["content-encoding"] == "gzip"
            script += len(gzip.compress(file.read_bytes(), 9))
    assert 0 < script <= MOST_SCRIPT


def test_without_a_bundle_it_says_how_to_build_one(tmp_path: Path) -> None:
    app = FastAPI()
    install(app, tmp_path)
    with TestClient(app) as client:
        reply = client.get("/")
    assert reply.status_code == 503
    assert "make page" in reply.text


def test_types_are_those_of_the_service(tmp_path: Path) -> None:
    schema = subprocess.run(
        [sys.executable, WEB / "scripts" / "print_schema.py"],
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},  # of this checkout
    ).stdout
    made = tmp_path / "schema.d.ts"
    generator = WEB / "node_modules" / ".bin" / "openapi-typescript"
    subprocess.run(
        [generator, "--output", made],
        input=schema,
        check=True,
        cwd=WEB,
        capture_output=True,
    )
    current = (WEB / "src" / "api" / "schema.d.ts").read_text()
    assert made.read_text() == current, "make page-types"


def test_the_lock_names_no_host() -> None:
    lock = json.loads((WEB / "package-lock.json").read_text())
    assert not any("resolved" in each for each in lock["packages"].values())
    package = json.loads((WEB / "package.json").read_text())
    versions = {**package["dependencies"], **package["devDependencies"]}
    assert all(each[0].isdigit() for each in versions.values())
