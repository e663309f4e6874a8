"""The walk from an empty database to two tenants runs as its page tells it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.service.commands import started
from tests.servers.postgres import running_postgres

pytestmark = pytest.mark.real
PAGE = Path(__file__).parents[3] / "docs" / "two-tenants.md"


@pytest.fixture
def addresses() -> Iterator[dict[str, str]]:
    """Of a server of its own, which has no role of ours yet: what a newcomer begins with."""
    with running_postgres() as server:
        logins = {"SUPER": "postgres", "OWNER": "owner", "WEB": "web"}
        yield {
            name: server.url(login, "postgres" if name == "SUPER" else "upheld").get_secret_value()
            for name, login in logins.items()
        }


def test_the_page_on_two_tenants_runs(addresses: dict[str, str], tmp_path: Path) -> None:
    make, ask = (
        re.findall(r"^```bash\n(.*?)^```$", part, re.DOTALL | re.MULTILINE)
        for part in PAGE.read_text(encoding="utf-8").split("Start the service", 1)
    )
    (tmp_path / "upheld").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m upheld "$@"\n')
    (tmp_path / "upheld").chmod(0o755)
    given = {"UPHELD_KB": str(tmp_path / "kb"), "UPHELD_LOCAL_MODELS": "false"}
    path = f"{tmp_path}:{os.environ['PATH']}"

    def run(block: str, **environment: str) -> str:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", block],
            cwd=tmp_path,
            env={**os.environ, **given, **addresses, "PATH": path, **environment},
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    for block in make:
        run(block)
    web = {"UPHELD_DATABASE_URL": addresses["WEB"], **given}
    with started("serve", "--port", "0", **web) as command:
        url = command.said("Upheld answers at").rpartition(" ")[2]
        printed = "\n".join(run(block, URL=url) for block in ask)
    told = re.findall(r"(?:^|    )# (.*)$", "".join(ask), re.MULTILINE)
    assert told == [
        "The harbour office opens at nine. [1]",
        "404",
        "401",
        "There is no collection default.",
        "The board meets on Fridays. [1]",
        "The documents do not answer this question.",
    ]
    assert [line for line in printed.splitlines() if line in told] == told
