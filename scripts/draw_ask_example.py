"""Draw docs/assets/ask.svg: the README's first screen, from a real run on examples/documents.

python scripts/draw_ask_example.py [--to FILE]

It needs the extra `local`; a test asserts that the picture is up to date.
"""

from __future__ import annotations

import argparse
import io
import re
import tempfile
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from upheld import Answer, Upheld
from upheld.cli import show

REPOSITORY = Path(__file__).resolve().parent.parent
PICTURE = REPOSITORY / "docs" / "assets" / "ask.svg"
QUESTION = "When does the lighthouse open to visitors?"
WIDTH = 110
_REMOTE_FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


def answered() -> Answer:
    """The README's commands, as calls, in a knowledge base that is thrown away."""
    with tempfile.TemporaryDirectory() as folder, Upheld.open(folder) as kb:
        kb.add(REPOSITORY / "examples" / "documents")
        answer = kb.ask(QUESTION)
    # Whose checkout it was is nobody's business.
    here = REPOSITORY.as_uri()
    sources = (replace(each, uri=each.uri.replace(here, "file:///…")) for each in answer.sources)
    return replace(answer, sources=tuple(sources))


def draw(answer: Answer) -> str:
    """The command and its output as SVG; its text falls back to the reader's own fonts."""
    terminal = show.out
    show.out = Console(
        record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor"
    )
    try:
        command = f'$ upheld ask "{QUESTION}" --kb kb\n'
        show.out.print(command, markup=False, highlight=False, style="bold")
        show.show_answer(answer)
        picture = show.out.export_svg(title="upheld ask", unique_id="ask")
    finally:
        show.out = terminal
    return _REMOTE_FONTS.sub("", picture)


def main() -> None:
    """Ask, draw and keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--to", type=Path, default=PICTURE)
    chosen = parser.parse_args()
    chosen.to.write_text(draw(answered()), encoding="utf-8")


if __name__ == "__main__":
    main()
