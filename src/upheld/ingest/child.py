"""The reading process: takes a file on standard input, gives its text on standard output, again.

Replies are JSON, not pickles: a document that took this process over must not reach its parent.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import resource
import struct
import sys
import threading
import time
from dataclasses import asdict
from typing import BinaryIO

from upheld.errors import MissingExtraError, UpheldError
from upheld.ingest.read import read

HEADER = struct.Struct(">II")  # lengths of name and content; of head and text in a reply
OUT_OF_MEMORY = 77  # exit status
_LOOK_EVERY = 0.05  # seconds between looks at the memory in use


def main() -> None:
    """Serve until standard input ends."""
    memory, characters = int(sys.argv[1]), int(sys.argv[2])
    requests, replies = sys.stdin.buffer, _own_stdout()
    _limit_memory(memory)
    while header := requests.read(HEADER.size):
        name_length, length = HEADER.unpack(header)
        name = requests.read(name_length).decode("utf-8", "surrogateescape")
        try:
            head, text = _answer(requests.read(length), name, characters)
        except MemoryError:
            os._exit(OUT_OF_MEMORY)
        replies.write(HEADER.pack(len(head), len(text)))
        replies.write(head)
        replies.write(text)
        replies.flush()


def _answer(data: bytes, name: str, characters: int) -> tuple[bytes, bytes]:
    try:
        document = read(data, name)
    except MissingExtraError as missing:
        cause = missing.cause or str(missing.__cause__ or "")
        return _head(error=missing.what, extra=missing.extra, cause=cause), b""
    except UpheldError as error:
        return _head(error=error.args[0], help=error.help), b""
    except MemoryError:
        raise
    except Exception as bug:  # whatever a parser throws at a broken file is that file's failure
        return _head(error=f"{name} cannot be read ({type(bug).__name__}: {bug})"), b""
    if len(document.text) > characters:
        return _head(error=f"{name} has more than {characters:,} characters of text"), b""
    head = _head(
        title=document.title,
        pages=document.pages,
        headings=[list(asdict(heading).values()) for heading in document.headings],
    )
    return head, document.text.encode()


def _head(**fields: object) -> bytes:
    return json.dumps(fields).encode()


def _own_stdout() -> BinaryIO:
    """Keep the pipe for replies; what a library prints goes to standard error."""
    pipe = os.dup(1)
    os.dup2(2, 1)
    return os.fdopen(pipe, "wb")


def _limit_memory(limit: int) -> None:
    """By the kernel where it obeys; macOS does not, so there the process looks after itself.

    Never by looking on Linux: the peak that a child reports there begins with its parent's.
    """
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    if platform.system() == "Darwin":
        threading.Thread(target=_leave_above, args=(limit,), daemon=True).start()


def _leave_above(limit: int) -> None:
    while resource.getrusage(resource.RUSAGE_SELF).ru_maxrss <= limit:  # in bytes on macOS
        time.sleep(_LOOK_EVERY)
    os._exit(OUT_OF_MEMORY)


if __name__ == "__main__":
    main()
