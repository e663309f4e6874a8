"""Run a command that stops with the process that started it.

`python -m upheld_service.db.supervise USER COMMAND…`; an empty USER is the current one. When
standard input ends, also because its other end was killed, the command gets SIGINT.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import threading

STOP_SECONDS = 20.0


def main(user: str, *command: str) -> int:
    """Wait for the command, or for the end of the input."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, user=user or None)  # noqa: S603
    threading.Thread(target=_stop_at_end_of_input, args=(process,), daemon=True).start()
    return process.wait()


def _stop_at_end_of_input(process: subprocess.Popen[bytes]) -> None:
    sys.stdin.buffer.read()
    process.send_signal(signal.SIGINT)  # PostgreSQL's fast shutdown
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
