"""A command imports what it uses: help and refusals come at once, LanceDB without its client."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from upheld.edge.onnx.session import sha256_of

ENGINES = ("lancedb", "pyarrow", "numpy", "onnxruntime", "tokenizers", "openai", "obstore")

RUN_ALL = """
import io, json, sys, time
from contextlib import redirect_stderr, redirect_stdout
import upheld.cli.show as show
from rich.console import Console
told = {}
for name, arguments in json.loads(sys.argv[1]).items():
    began, out = time.process_time(), io.StringIO()
    show.out = show.err = Console(file=out, width=200)
    sys.argv = ["upheld", *arguments]
    from upheld.cli import main
    with redirect_stdout(out), redirect_stderr(out):
        try:
            main()
        except SystemExit as left:
            code = left.code
    told[name] = [code, time.process_time() - began, out.getvalue()]
print(json.dumps({"told": told, "modules": sorted(sys.modules)}))
"""


def python(code: str, *arguments: str, cwd: Path) -> Any:
    """What a fresh interpreter prints as JSON."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=True,
        cwd=cwd,
        env={**os.environ, "NO_COLOR": "1"},
    )
    return json.loads(done.stdout.splitlines()[-1])


def test_what_cannot_be_asked_is_refused_before_anything_is_opened(tmp_path: Path) -> None:
    (tmp_path / "kb/default").mkdir(parents=True)
    refused = {
        "method": (("ask", "When?", "--method", "nonsense"), "no method 'nonsense'"),
        # On a knowledge base that is empty as well, the method is spoken of first.
        "both": (("ask", "When?", "--kb", "none", "--method", "ragg"), "Did you mean rag?"),
        "empty": (("ask", "  "), "The question is empty."),
        "long": (("ask", "x" * 5000), "4000"),
        "set": (("ask", "When?", "--set", "sessions"), "--set sessions has no value"),
        "value": (("ask", "When?", "--set", "passages=many"), "passages"),
        "preset": (("ask", "When?", "--preset", "mine"), "rag has no preset 'mine'"),
        "kb": (("ask", "When?", "--kb", "nowhere"), "no documents in nowhere"),
        "collection": (("ask", "When?", "--collection", "other"), "collection other"),
        "judge": (("ask", "When?", "--judge"), "no language model to ask"),
        "model": (("ask", "When?", "--model", "m"), "but no server"),
        "option": (("ask", "When?", "--search", "all"), "Invalid value for '--search'"),
        "folder": (("index", "missing-folder"), "missing-folder does not exist"),
        "list": (("list", "--kb", "nowhere"), "no documents in nowhere"),
    }
    arguments = {name: command for name, (command, _) in refused.items()}
    seen = python(RUN_ALL, json.dumps(arguments), cwd=tmp_path)
    for name, (_, words) in refused.items():
        code, seconds, told = seen["told"][name]
        assert (name, code) == (name, 2)
        assert words in " ".join(told.split())
        assert seconds < 3, f"{name}: a third of a second here, where nothing else runs"
    assert [each for each in ENGINES if each in seen["modules"]] == []


def test_the_help_of_one_command_imports_no_other(tmp_path: Path) -> None:
    seen = python(RUN_ALL, json.dumps({"help": ("admin", "--help")}), cwd=tmp_path)
    code, _, told = seen["told"]["help"]
    assert (code, "migrate" in told) == (0, True)
    ours = {each for each in seen["modules"] if each.startswith("upheld.cli.")}
    assert ours == {f"upheld.cli.{each}" for each in ("options", "plugins", "show")}
    assert "upheld_service.cli.serve" not in seen["modules"]
    heavy = (
        "pydantic",
        "upheld.client",
        "upheld.methods",
        "upheld.retrieval",
        "upheld.generation",
        "upheld.verification",
        "asyncio",
        *ENGINES,
    )
    assert [each for each in heavy if each in seen["modules"]] == []


def test_all_commands_are_listed_and_a_typo_is_answered_with_what_was_meant(tmp_path: Path) -> None:
    commands = {"help": ("--help",), "typo": ("ak", "When?")}
    seen = python(RUN_ALL, json.dumps(commands), cwd=tmp_path)["told"]
    for name in ("index", "ask", "verify", "worker", "calibrate", "bench", "train", "admin"):
        assert f" {name} " in seen["help"][2]
    assert "Did you mean 'ask'?" in " ".join(seen["typo"][2].split())


LANCE = """
import json, sys
from upheld.edge.lance import engine
BREAK
lancedb = engine.load_lancedb()
client = [name for name in sys.modules if name.startswith("lance_namespace_urllib3_client")]
connection = lancedb.connect(sys.argv[1])
connection.create_table("notes", [{"a": 1}])
listed = connection.list_tables()  # an answer in a class of the client
import lance_namespace
print(json.dumps({
    "client": client,
    "names": connection.table_names(),
    "listed": listed.tables,
    "same": type(listed) is lance_namespace.ListTablesResponse,
    "is": isinstance(listed, lancedb.db.ListTablesResponse),
    "error": lance_namespace.TableNotFoundError is lancedb.db.TableNotFoundError,
    "stand_ins": [n for n, m in sys.modules.items() if type(m).__name__ == "_StandIn"],
}))
"""


def test_lancedb_is_imported_without_the_client_of_its_cloud(tmp_path: Path) -> None:
    seen = python(LANCE.replace("BREAK", ""), str(tmp_path / "db"), cwd=tmp_path)
    assert seen == {
        "client": [],
        "names": ["notes"],
        "listed": ["notes"],
        "same": True,
        "is": True,
        "error": True,
        "stand_ins": [],
    }


def test_a_lancedb_that_needs_its_client_gets_it(tmp_path: Path) -> None:
    broken = "engine._StandIn.__getattr__ = lambda self, name: int(name)"
    seen = python(LANCE.replace("BREAK", broken), str(tmp_path / "db"), cwd=tmp_path)
    assert seen["client"]
    assert (seen["names"], seen["same"], seen["stand_ins"]) == (["notes"], True, [])


def test_a_digest_is_remembered_for_as_long_as_the_file_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    file = tmp_path / "model"
    file.write_bytes(b"weights")
    first = sha256_of(file)
    cache = tmp_path / "cache/upheld/digests.sqlite3"
    with closing(sqlite3.connect(cache)) as db, db:
        db.execute("UPDATE digests SET value = ?", ("0" * 64,))
    assert sha256_of(file) == "0" * 64, "it was not hashed again"
    cache.write_text("no database")
    assert sha256_of(file) == first
    cache.unlink()
    file.write_bytes(b"other!!")
    assert sha256_of(file) != first


def test_a_digest_needs_no_cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cache").write_text("a file, not a folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "model").write_bytes(b"")
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert sha256_of(tmp_path / "model") == empty
