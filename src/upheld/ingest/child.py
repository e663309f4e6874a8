"""The reading process: receives files on standard input and returns their text on standard output.

Replies are JSON, not pickles, so that a document that exploits a parser cannot reach the parent.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict

from upheld._internal.child_process import serve
from upheld.errors import MissingExtraError, NotFoundError, UpheldError
from upheld.ingest.read import read


def main() -> None:
    """Serve requests until standard input ends."""
    memory, characters = int(sys.argv[1]), int(sys.argv[2])

    def answer(name: bytes, data: bytes) -> tuple[bytes, bytes]:
        return _answer(data, name.decode("utf-8", "surrogateescape"), characters)

    serve(answer, memory)


def _answer(data: bytes, name: str, characters: int) -> tuple[bytes, bytes]:
    return or_problem(lambda: _read(data, name, characters), name)


def or_problem(work: Callable[[], tuple[bytes, bytes]], name: str) -> tuple[bytes, bytes]:
    """Return the reply of the work, or one that says why it failed."""
    try:
        return work()
    except MissingExtraError as missing:
        cause = missing.cause or str(missing.__cause__ or "")
        return head(error=missing.what, extra=missing.extra, cause=cause), b""
    except NotFoundError as missing:
        return head(missing=missing.args[0]), b""
    except UpheldError as error:
        return head(error=error.args[0], help=error.help), b""
    except MemoryError:
        raise
    except Exception as bug:  # any error of a parser is a failure of that file
        return head(error=f"{name} cannot be read ({type(bug).__name__}: {bug})"), b""


def _read(data: bytes, name: str, characters: int) -> tuple[bytes, bytes]:
    document = read(data, name)
    if len(document.text) > characters:
        return head(error=f"{name} has more than {characters:,} characters of text"), b""
    fields = head(
        title=document.title,
        pages=document.pages,
        hidden=document.hidden,
        headings=[list(asdict(heading).values()) for heading in document.headings],
    )
    return fields, document.text.encode()


def head(**fields: object) -> bytes:
    """Encode the first part of a reply."""
    return json.dumps(fields).encode()


if __name__ == "__main__":
    main()
