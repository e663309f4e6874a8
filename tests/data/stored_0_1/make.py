"""Make a `COMMIT.tar.xz`: what version 0.1 stores, by running its own commands (see README.md)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.request import Request, urlopen

from upheld_service.db.dev_postgres import private_postgres

DOCUMENTS = {
    "ferry.md": "# Ferry\n\nThe ferry leaves at nine. The crossing takes 35 minutes.\n\n"
    "## Winter\n\nIn winter the ferry leaves at ten.\n",
    "lighthouse.txt": "The lighthouse opens at half past nine. Agnes Tolliver built it in 1869.\n",
    "museum.html": "<html><head><title>Museum</title></head><body><main><h1>Museum</h1><p>The "
    "museum shows 340 letters of the keepers.</p></main></body></html>\n",
}
# Changed and deleted by 0.1 itself: what is to be erased is still there when 0.2 opens the index.
BEFORE = {
    "ferry.md": "# Ferry\n\nThe ferry leaves at noon, past the heliotrope buoy.\n",
    "closed.txt": "The heliotrope room was closed in 1911.\n",
}
QUESTIONS = (
    "When does the ferry leave?",
    "How long does the crossing take?",
    "When does the ferry leave in winter?",
    "When does the lighthouse open?",
    "Who built the lighthouse?",
    "How many letters does the museum show?",
)
LABELS = 72  # a guarantee needs 50 claims for its test
LLM_PORT = 11434  # its address is part of the keys of the call cache
WRITTEN = {"claims": [{"sources": [1], "text": "The ferry leaves at nine."}]}


class Model(BaseHTTPRequestHandler):
    """An OpenAI-compatible server that always writes the same claim."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        message = {"role": "assistant", "content": json.dumps(WRITTEN)}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
        reply = {"id": "1", "object": "chat.completion", "created": 0, "model": "scripted"}
        body = json.dumps({**reply, "choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Old:
    """The code of a commit of 0.1, run in processes of its own."""

    def __init__(self, checkout: Path) -> None:
        path = f"{checkout}/src:{checkout}/packages/upheld-models/src"
        self.environment = {**os.environ, "PYTHONPATH": path}

    def start(self, *command: str, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, *command],
            env={**self.environment, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def python(self, *command: str, said: str = "", **environment: str) -> str:
        process = self.start(*command, **environment)
        out, error = process.communicate(said)
        assert process.returncode == 0, (command, out, error)
        return out

    def upheld(self, *command: str, said: str = "", **environment: str) -> str:
        return self.python("-m", "upheld", *command, said=said, **environment)

    @contextmanager
    def running(self, *command: str, ready: str, **environment: str) -> Iterator[str]:
        """A command until the end of the block; the line by which it says that it is ready."""
        process = self.start("-m", "upheld", *command, **environment)
        assert process.stderr is not None
        lines = process.stderr
        line = next(line for line in lines if ready in line)
        Thread(target=lambda: [None for _ in lines], daemon=True).start()  # a full pipe stops it
        try:
            yield line
        finally:
            process.terminate()
            process.wait()


def write(documents: dict[str, str]) -> None:
    Path("documents").mkdir(exist_ok=True)
    for name, text in documents.items():
        Path("documents", name).write_text(text, encoding="utf-8")


def knowledge_base(old: Old) -> None:
    """`kb`, `calls`, `labels.jsonl`, `guarantee.json`, `answer.json`."""
    write(DOCUMENTS | BEFORE)
    old.upheld("index", "documents", "--kb", "kb", "--label", "islanders")
    write(DOCUMENTS)
    Path("documents/closed.txt").unlink()
    # Not the command: it would maintain the index, and leave nothing to be erased.
    old.python("-c", "from upheld import Upheld; Upheld.open('kb').add('documents')")

    asked = [f"{QUESTIONS[n % len(QUESTIONS)]} Visitor {n} asks." for n in range(LABELS)]
    Path("questions.txt").write_text("\n".join(asked), encoding="utf-8")
    chosen = ("--kb", "kb", "--questions", "questions.txt", "--out", "labels.jsonl")
    old.upheld("label", *chosen, said="y\n" * LABELS)
    Path("questions.txt").unlink()
    levels = ("--alpha", "0.5", "--delta", "0.5")
    old.upheld("calibrate", "labels.jsonl", *levels, "--out", "guarantee.json")
    ask = ("ask", QUESTIONS[0], "--kb", "kb", "--json")
    answer = old.upheld(*ask, UPHELD_GUARANTEE="guarantee.json")
    Path("answer.json").write_text(answer, encoding="utf-8")

    server = HTTPServer(("127.0.0.1", LLM_PORT), Model)
    Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{LLM_PORT}/v1"
    written = old.upheld(*ask, "--llm", url, "--model", "scripted", UPHELD_CALL_CACHE="calls")
    Path("written.json").write_text(written, encoding="utf-8")
    server.shutdown()
    server.server_close()


class Caller:
    """A client of the service with one key."""

    def __init__(self, url: str, key: str) -> None:
        self.url, self.key = url, key

    def __call__(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Any:
        request = Request(f"{self.url}{path}", body, method=method)
        given = {"Authorization": f"Bearer {self.key}", "Content-Type": "text/plain", **headers}
        for name, value in given.items():
            request.add_header(name.replace("_", "-"), value)
        with urlopen(request) as reply:
            return json.load(reply)

    def ask(self, question: str, **headers: str) -> Any:
        body = json.dumps({"question": question, "collection": "staff"}).encode()
        return self("POST", "/v1/answers", body, Content_Type="application/json", **headers)


def service(old: Old) -> None:
    """`service/`: the storage, the database as SQL, keys, and the answers that were sent."""
    Path("service").mkdir()
    with (
        tempfile.TemporaryDirectory(prefix="upheld-0.1-") as folder,
        private_postgres(Path(folder)) as server,
    ):
        owner = server.empty_database("upheld").get_secret_value()
        old.upheld("admin", "migrate", UPHELD_DATABASE_URL=owner)
        with server._superuser("postgres") as connection:
            connection.execute("GRANT upheld_app, upheld_worker TO upheld_service")

        def admin(*command: str) -> Any:
            return json.loads(old.upheld("admin", *command, "--json", UPHELD_DATABASE_URL=owner))

        for tenant in ("museum", "harbour"):
            admin("tenant", "add", tenant)
        scopes = [part for each in ("ask", "verify", "read", "write") for part in ("--scope", each)]
        keys = {
            "museum": admin("key", "add", "museum", *scopes)["secret"],
            "reader": admin("key", "add", "museum", "--label", "hr")["secret"],
            "harbour": admin("key", "add", "harbour", *scopes)["secret"],
        }
        Path("service/keys.json").write_text(json.dumps(keys), encoding="utf-8")
        database = server.url("upheld_service", "upheld").get_secret_value()
        settings = {"UPHELD_DATABASE_URL": database, "UPHELD_KB": "service/kb"}
        serve = ("serve", "--no-worker", "--port", "0")
        with old.running(*serve, ready="Upheld answers at", **settings) as line:
            url = line.strip().rpartition(" ")[2]
            _fill(old, {name: Caller(url, key) for name, key in keys.items()}, settings)
        _dump(server.url("postgres", "upheld").get_secret_value())


def _fill(old: Old, callers: dict[str, Caller], settings: dict[str, str]) -> None:
    museum, harbour, reader = callers["museum"], callers["harbour"], callers["reader"]
    labels = Path("labels.jsonl").read_bytes()
    documents = "/v1/collections/staff/documents"
    guarantee = "/v1/collections/staff/guarantee?alpha=0.5&delta=0.5"
    museum("PUT", f"{documents}/ferry", DOCUMENTS["ferry.md"].encode())
    museum("PUT", f"{documents}/lighthouse", DOCUMENTS["lighthouse.txt"].encode())
    museum("PUT", f"{documents}/wages?label=hr", b"The keeper earns 90 crowns a month.\n")
    museum("PUT", f"{documents}/closed", BEFORE["closed.txt"].encode())
    harbour("PUT", f"{documents}/ferry", b"The ferry of the harbour leaves at seven.\n")
    museum("POST", guarantee, labels)
    with old.running("worker", ready="Jobs are being run", **settings):
        for caller in (museum, harbour):
            while any(
                job["status"] in ("todo", "doing") for job in caller("GET", "/v1/jobs")["jobs"]
            ):
                time.sleep(0.2)
    answers = {
        "museum": museum.ask(QUESTIONS[0], Idempotency_Key="once"),
        "closed": museum.ask("When was the heliotrope room closed?"),
        "reader": reader.ask("How many crowns does the keeper earn?"),
        "harbour": harbour.ask(QUESTIONS[0]),
    }
    # Nobody works from here on: these wait for 0.2.
    museum("PUT", f"{documents}/museum", b"The museum shows 340 letters of the keepers.\n")
    museum("DELETE", f"{documents}/closed")
    harbour("POST", guarantee, labels)
    Path("service/answers.json").write_text(json.dumps(answers, indent=1), encoding="utf-8")


def _dump(url: str) -> None:
    """The database as statements that any client can send."""
    told = subprocess.run(
        ["pg_dump", "--inserts", url],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    # Without the commands of psql, and without comments.
    kept = [line for line in told.split("\n") if line and not line.startswith(("\\", "--"))]
    Path("service/database.sql").write_text("\n".join(kept), encoding="utf-8")


def main(checkout: Path, folder: Path) -> None:
    commit = subprocess.run(
        ["git", "-C", str(checkout), "rev-parse", "--short=7", "HEAD"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    here = Path(__file__).resolve().parent
    folder.mkdir()
    os.chdir(folder)
    old = Old(checkout)
    knowledge_base(old)
    service(old)
    with tarfile.open(here / f"{commit}.tar.xz", "w:xz", preset=9) as archive:
        for path in sorted(Path().iterdir()):
            archive.add(path, filter=_anonymous)


def _anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
