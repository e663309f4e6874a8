"""Another client of the service, in a process of its own: how long `/healthz` takes it.

`python -m tests.integration.service.polling URL` prints the begin and the seconds of every request,
until its standard input is closed.
"""

from __future__ import annotations

import http.client
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

EVERY = 0.02
LONGEST = 120.0


@dataclass(frozen=True, slots=True)
class Look:
    """One request, on the clock that all processes of the machine share."""

    began: float
    seconds: float


def poll(url: str) -> None:
    parts = urlsplit(url)
    assert parts.hostname is not None
    ended = threading.Event()

    def wait_for_the_end() -> None:
        sys.stdin.read()
        ended.set()

    threading.Thread(target=wait_for_the_end, daemon=True).start()
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=LONGEST)
    while not ended.is_set():
        began = time.monotonic()
        try:
            connection.request("GET", "/healthz")
            ok = connection.getresponse().read() == b'{"status":"ok"}'
        except (OSError, http.client.HTTPException):
            connection.close()
            ok = False
        seconds = time.monotonic() - began
        print(began, seconds if ok else LONGEST, flush=True)
        ended.wait(max(EVERY - seconds, 0))


@contextmanager
def polling(url: str) -> Iterator[list[Look]]:
    """Looks are added as they end."""
    looks: list[Look] = []
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.integration.service.polling", url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    output = process.stdout

    def read() -> None:
        looks.extend(Look(*map(float, line.split())) for line in output)

    reading = threading.Thread(target=read)
    reading.start()
    try:
        yield looks
    finally:
        process.stdin.close()
        process.wait()
        reading.join()
        output.close()


def percentile(looks: list[Look], share: float) -> float:
    """The seconds that so many looks did not exceed.

    While one look waits no other is begun. Those that would have been begun meanwhile count as
    well, each with what was left of the wait: a freeze of four seconds is two hundred bad looks.
    """
    ordered = sorted(
        each.seconds - EVERY * missed
        for each in looks
        for missed in range(max(int(each.seconds / EVERY), 1))
    )
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)] if ordered else 0.0


if __name__ == "__main__":
    poll(sys.argv[1])
