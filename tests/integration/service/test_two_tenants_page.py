"""The walk from an empty database to two tenants runs as its page tells it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.service.commands import started
from tests.servers.postgres import State

pytestmark = pytest.mark.real
PAGE = Path(__file__).parents[3] / "docs" / "two-tenants.md"


def test_the_page_on_two_tenants_runs(own_state: State, tmp_path: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")
    make, *ask = re.findall(r"^```bash\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    (tmp_path / "upheld").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m upheld "$@"\n')
    (tmp_path / "upheld").chmod(0o755)
    owner, web = (each.get_secret_value() for each in (own_state.owner, own_state.service))
    given = {"UPHELD_KB": str(tmp_path / "kb"), "UPHELD_LOCAL_MODELS": "false"}
    path = f"{tmp_path}:{os.environ['PATH']}"

    def run(block: str, **environment: str) -> str:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", block],
            cwd=tmp_path,
            env={**os.environ, **given, "PATH": path, **environment},
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    run(make, OWNER=owner)
    with started("serve", "--port", "0", UPHELD_DATABASE_URL=web, **given) as command:
        url = command.said("Upheld answers at").rpartition(" ")[2]
        printed = "\n".join(run(block, URL=url) for block in ask)
    told = re.findall(r"    # (.*)$", "".join(ask), re.MULTILINE)
    assert told == ["The harbour office opens at nine. [1]", "404", "401"]
    assert [line for line in printed.splitlines() if line in told] == told
