"""The page on the service is a session that runs, against the command that it starts with."""

from __future__ import annotations

import re
import shlex
import subprocess
import tempfile
from pathlib import Path

import pytest
from typer.main import get_command

from tests.integration.service.commands import started
from upheld.cli import app

pytestmark = pytest.mark.real
DOCS = Path(__file__).parent.parent.parent.parent / "docs"
ADDRESS = "http://127.0.0.1:8000"


def blocks(page: str, *kinds: str) -> list[tuple[str, str]]:
    text = (DOCS / page).read_text(encoding="utf-8")
    found = re.findall(r"^```(\w+)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [(kind, code) for kind, code in found if kind in kinds]


def test_the_code_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    # Not pytest's own folder: the private PostgreSQL's user could not enter it.
    with tempfile.TemporaryDirectory(prefix="upheld-test-page-") as folder:
        Path(folder).chmod(0o755)
        given = {"UPHELD_KB": folder, "UPHELD_LOCAL_MODELS": "false"}
        with started("serve", "--dev", "--port", "0", **given) as command:
            url = command.said("Upheld answers at").rpartition(" ")[2]
            names: dict[str, object] = {"__name__": "page"}
            ran = []
            for kind, code in blocks("service.md", "bash", "python"):
                ran.append(kind)
                own = code.replace(ADDRESS, url)
                if kind == "python":
                    exec(compile(own, "docs/service.md", "exec"), names)
                else:
                    subprocess.run(["bash", "-ec", own], check=True, capture_output=True)
            for name in ("service", "client"):
                names[name].close()  # type: ignore[attr-defined]
    assert (ran.count("bash"), ran.count("python")) == (3, 5)
    printed = capsys.readouterr().out
    for comment in re.findall(r"print\(.*\)  # (.*)", (DOCS / "service.md").read_text()):
        assert comment in printed
    assert "event: final" in printed


def test_the_commands_of_the_page_on_tenants_are_there() -> None:
    group = get_command(app)
    tried = 0
    for _, code in blocks("tenants.md", "console"):
        for line in code.splitlines():
            _, found, words = line.partition("upheld admin ")
            if found:
                tried += 1
                arguments = ["admin", *shlex.split(words)]
                command, parts = group, list(arguments)
                while hasattr(command, "commands"):
                    command = command.commands[parts.pop(0)]
                command.make_context("upheld", parts)  # refuses what it does not know
    assert tried == 8
