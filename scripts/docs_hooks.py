"""What `mkdocs` does beside its plugins: pages get lists that would rot if people wrote them.

All decisions by their titles, and how each method differs from its paper, from the method's own
docstring and parameters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from upheld.methods.registry import METHODS, Entry, parameters

DECISIONS = Path(__file__).resolve().parent.parent / "docs" / "decisions"
_BULLET = re.compile(r"^- (.+(?:\n  .+)*)", re.MULTILINE)


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """The page with its list, where it asks for one."""
    for source, mark, made in (
        ("decisions/index.md", "<!-- all decisions -->", listed),
        ("methods.md", "<!-- what differs from the papers -->", differences),
    ):
        if page.file.src_uri == source:
            assert mark in markdown, f"docs/{source} has lost its mark"
            return markdown.replace(mark, made())
    return markdown


def listed() -> str:
    """A line for each decision, oldest first."""
    return "\n".join(
        f"- [{_title(each)}]({each.name})" for each in sorted(DECISIONS.glob("[0-9]*.md"))
    )


def differences() -> str:
    """A table for each method of a paper: the paper, ours, and what the difference is."""
    tables = []
    for name, entry in METHODS.items():
        if rows := list(_rows(name, entry)):
            head = ["### " + name, "", "| paper | ours | difference |", "|---|---|---|"]
            tables.append("\n".join([*head, *rows]))
    return "\n\n".join(tables)


def _rows(name: str, entry: Entry) -> Iterator[str]:
    """First what `--preset paper` takes back, then what stays."""
    _, _, departures = entry.algorithm.partition("Departures")
    told = [" ".join(each.split()).replace("|", "\\|") for each in _BULLET.findall(departures)]
    usual = parameters(name, {}).model_dump(mode="json")
    for parameter, value in entry.presets.get("paper", {}).items():
        named = [each for each in told if f"`{parameter}`" in each]
        info = entry.parameters.model_fields[parameter]
        why = named[0] if named else str(info.description).capitalize() + "."
        yield f"| {_set(parameter, value)} | {_set(parameter, usual[parameter])} | {why} |"
    taken_back = [f"`{each}`" for each in entry.presets.get("paper", {})]
    for each in told:
        if not any(parameter in each for parameter in taken_back):
            yield f"| | in any case | {each} |"


def _set(parameter: str, value: Any) -> str:
    shown = {True: "on", False: "off", None: "as fitted"}.get(value, value)
    return f"`{parameter}={shown}`" if value is not None else f"`{parameter}` as fitted"


def _title(page: Path) -> str:
    first, _, _ = page.read_text(encoding="utf-8").partition("\n")
    return first.removeprefix("# ")
