"""Draw docs/assets/verify.svg: what `upheld verify` shows for examples/verify.

python scripts/draw_verify_example.py [--model model.onnx --tokenizer tokenizer.json] [--to FILE]

Without a model it takes the weights of `upheld-verifier`; a test asserts that the picture is up to
date with them.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import re
from pathlib import Path

from rich.console import Console

from upheld.check import CheckedAnswer, check, opened_verify, read_source
from upheld.cli import show
from upheld.cli.verify import show_checked
from upheld.edge.onnx.cross_encoder import LocalEntailment
from upheld.settings import load_settings
from upheld.verification.verify import Verify

REPOSITORY = Path(__file__).resolve().parent.parent
EXAMPLE = REPOSITORY / "examples" / "verify"
PICTURE = REPOSITORY / "docs" / "assets" / "verify.svg"
SOURCES = ("history.md", "visiting.md", "collection.md")
COMMAND = f"$ cd examples/verify && upheld verify --answer answer.txt --source {SOURCES[0]} \\"
REST = "      " + " ".join(f"--source {name}" for name in SOURCES[1:])
WIDTH = 88
_REMOTE_FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


async def checked_example(stage: Verify) -> CheckedAnswer:
    """The example's answer, checked against its sources."""
    settings = load_settings()
    sources = [read_source(EXAMPLE / name, settings) for name in SOURCES]
    return await check(stage, (EXAMPLE / "answer.txt").read_text(encoding="utf-8"), sources)


def draw(checked: CheckedAnswer) -> str:
    """The command and its output as SVG; its text falls back to the reader's own fonts."""
    terminal = show.out
    show.out = Console(
        record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor"
    )
    try:
        show.out.print(f"{COMMAND}\n{REST}\n", markup=False, highlight=False, style="bold")
        show_checked(checked)
        picture = show.out.export_svg(title="upheld verify", unique_id="verify")
    finally:
        show.out = terminal
    return _REMOTE_FONTS.sub("", picture)


async def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path, help="other weights than those we ship")
    parser.add_argument("--tokenizer", type=Path)
    parser.add_argument("--to", type=Path, default=PICTURE)
    chosen = parser.parse_args()
    if (chosen.model is None) != (chosen.tokenizer is None):
        parser.error("--model and --tokenizer go together")
    if chosen.model is not None:
        model = LocalEntailment(chosen.model, chosen.tokenizer)
        checked = await checked_example(Verify(model=model))
        await model.close()
    else:
        async with opened_verify(load_settings()) as stage:
            if stage.model is None:
                parser.exit(1, f"nothing was drawn: {stage.no_model}\n")
            checked = await checked_example(stage)
    chosen.to.parent.mkdir(parents=True, exist_ok=True)
    chosen.to.write_text(draw(checked), encoding="utf-8")
    show_checked(checked)


if __name__ == "__main__":
    asyncio.run(_main())
