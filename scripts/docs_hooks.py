"""What `mkdocs` does beside its plugins: lists all decisions on their page, by their titles.

So a new decision is in the docs without a line in the navigation.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

DECISIONS = Path(__file__).resolve().parent.parent / "docs" / "decisions"
MARK = "<!-- all decisions -->"


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """The page with its list, where it asks for one."""
    if page.file.src_uri != "decisions/index.md":
        return markdown
    assert MARK in markdown, "docs/decisions/index.md has lost its mark"
    return markdown.replace(MARK, listed())


def listed() -> str:
    """A line for each decision, oldest first."""
    return "\n".join(
        f"- [{_title(each)}]({each.name})" for each in sorted(DECISIONS.glob("[0-9]*.md"))
    )


def _title(page: Path) -> str:
    first, _, _ = page.read_text(encoding="utf-8").partition("\n")
    return first.removeprefix("# ")
