"""Draw docs/assets/architecture.svg: the rooms and which of them import which, from the code.

python scripts/draw_architecture.py

Rows are the layers of the import contract in pyproject.toml; lines are real imports. A line that
follows from others (a to b to c, so a to c) is left out. A test asserts that the picture is
current.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import grimp

REPOSITORY = Path(__file__).resolve().parent.parent
PICTURE = REPOSITORY / "docs" / "assets" / "architecture.svg"
WIDTH, ROW, BOX, GAP, MARGIN = 960, 52, 28, 90, 24
LETTER = 7.4  # the width of a letter, in pixels
FILLS = {"lab": "#f3ead7", "service": "#e3e6f6"}  # what comes in a wheel of its own

Room = tuple[int, str]  # its row, and its name there
Edge = tuple[Room, Room]


def layers() -> list[list[str]]:
    """Modules by row, as the contract has them: the top row imports, the bottom row does not."""
    text = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
    contracts = tomllib.loads(text)["tool"]["importlinter"]["contracts"]
    rooms = next(each for each in contracts if each["name"] == "rooms import only rooms below them")
    return [[module.strip() for module in row.split("|")] for row in rooms["layers"]]


def room_name(module: str) -> str:
    """`upheld.methods` is `methods`; parts of `_internal` that share a row share a box."""
    package, _, rest = module.partition(".")
    if package == "upheld_lab":
        return f"lab: {rest}"
    return rest.partition(".")[0] or package.removeprefix("upheld_")


def rooms(rows: list[list[str]]) -> dict[str, Room]:
    """The room of each module that the contract names."""
    return {module: (row, room_name(module)) for row, each in enumerate(rows) for module in each}


def room_of(module: str, known: dict[str, Room]) -> Room | None:
    """The room that a module lives in; None for one that the contract does not know."""
    while module not in known:
        module, dot, _ = module.rpartition(".")
        if not dot:
            return None
    return known[module]


def imports(known: dict[str, Room]) -> tuple[set[Edge], set[str]]:
    """Which rooms import which, and modules that live in no room."""
    graph = grimp.build_graph("upheld", "upheld_service", "upheld_lab", cache_dir=None)
    edges, homeless = set(), set()
    for module in graph.modules:
        here = room_of(module, known)
        if here is None:
            homeless.add(module)
            continue
        for imported in graph.find_modules_directly_imported_by(module):
            there = room_of(imported, known)
            if there is not None and there != here:
                edges.add((here, there))
    return edges, homeless


def without_implied(edges: set[Edge]) -> list[Edge]:
    """Edges that no chain of other edges makes; there is no circle, the contract sees to that."""
    below: dict[Room, set[Room]] = {}
    for above, lower in edges:
        below.setdefault(above, set()).add(lower)
    reached: dict[Room, set[Room]] = {}

    def reach(room: Room) -> set[Room]:
        if room not in reached:
            next_rooms = below.get(room, set())
            reached[room] = next_rooms.union(*(reach(each) for each in next_rooms))
        return reached[room]

    return sorted(
        (above, lower)
        for above, lower in edges
        if not any(lower in reach(other) for other in below[above] if other != lower)
    )


def boxes(rows: list[list[str]]) -> dict[Room, tuple[float, float, float]]:
    """Left, top and width of each room's box; rows are centred."""
    placed: dict[Room, tuple[float, float, float]] = {}
    for row, modules in enumerate(rows):
        names = list(dict.fromkeys(map(room_name, modules)))
        widths = [round(len(name) * LETTER + 22, 1) for name in names]
        left = (WIDTH - sum(widths) - GAP * (len(names) - 1)) / 2
        for name, width in zip(names, widths, strict=True):
            placed[row, name] = (round(left, 1), MARGIN + row * ROW, width)
            left += width + GAP
    return placed


def draw() -> str:
    """The picture as SVG: the same code gives the same bytes."""
    rows = layers()
    edges, _ = imports(rooms(rows))
    placed = boxes(rows)
    height = 2 * MARGIN + ROW * (len(rows) - 1) + BOX
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        'font-family="ui-monospace, Menlo, Consolas, monospace" font-size="12">',
        "<title>The rooms of Upheld, and which of them import which</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
    ]
    for above, lower in without_implied(edges):
        x, y = placed[above][0] + placed[above][2] / 2, placed[above][1] + BOX
        to, end = placed[lower][0] + placed[lower][2] / 2, placed[lower][1]
        bend = (y + end) / 2
        out.append(
            f'<path d="M{x:.0f} {y:.0f}C{x:.0f} {bend:.0f} {to:.0f} {bend:.0f} {to:.0f} {end:.0f}" '
            'fill="none" stroke="#9db8b6" stroke-width="1.2">'
            f"<title>{above[1]} imports {lower[1]}</title></path>"
        )
    for (_, name), (left, top, width) in placed.items():
        fill = FILLS.get(name.partition(":")[0], "#d9efec")
        out.append(
            f'<rect x="{left}" y="{top}" width="{width}" height="{BOX}" rx="5" fill="{fill}" '
            f'stroke="#00796b"/><text x="{left + width / 2:.1f}" y="{top + 18}" '
            f'text-anchor="middle">{name}</text>'
        )
    return "\n".join([*out, "</svg>", ""])


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
