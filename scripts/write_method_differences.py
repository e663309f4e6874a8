"""Write into docs/methods.md how each method differs from its paper; a test asserts it is current.

From the method's own docstring and parameters, so that the page cannot say anything else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from upheld.methods.registry import METHODS, Entry, parameters

PAGE = Path(__file__).parent.parent / "docs" / "methods.md"
BEGIN = "<!-- what follows is written by scripts/write_method_differences.py -->"
END = "<!-- until here -->"
_BULLET = re.compile(r"^- (.+(?:\n  .+)*)", re.MULTILINE)


def page() -> str:
    """The page as it should be."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{differences()}\n\n{END}{after}"


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


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
