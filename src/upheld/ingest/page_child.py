"""The process that shows pages of PDFs: receives files on standard input, and returns PNG or JSON.

Like the reading process, it is limited and replaced: a page can be made to crash or to hang it.
"""

from __future__ import annotations

import json
import sys

from pydantic import TypeAdapter

from upheld._internal.child_process import serve
from upheld._internal.to_json import to_json
from upheld.ingest.child import head, or_problem
from upheld.ingest.read.pdf_positions import PageSpan, locate, render_page


def main() -> None:
    """Serve requests until standard input ends."""

    def answer(label: bytes, data: bytes) -> tuple[bytes, bytes]:
        asked = json.loads(label)
        name = asked["name"]

        def work() -> tuple[bytes, bytes]:
            if "spans" in asked:
                spans = TypeAdapter(list[PageSpan]).validate_python(asked["spans"])
                return head(), json.dumps(to_json(locate(data, name, spans))).encode()
            return head(), render_page(data, name, asked["page"], asked["width"])

        return or_problem(work, name)

    serve(answer, int(sys.argv[1]))


if __name__ == "__main__":
    main()
