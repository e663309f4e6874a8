"""Pages that are written from the code say what the code says."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

from upheld.methods.registry import METHODS

ROOT = Path(__file__).parent.parent.parent


def test_the_settings_page_is_up_to_date() -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "write_settings_page.py"))
    assert script["PAGE"].read_text(encoding="utf-8") == script["page"]()


def test_the_table_of_differences_has_what_each_method_says_of_its_paper() -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "write_method_differences.py"))
    table = script["differences"]()
    assert script["PAGE"].read_text(encoding="utf-8") == script["page"]()
    assert set(re.findall(r"^### (\w+)$", table, re.MULTILINE)) == set(METHODS) - {"rag", "upheld"}
    shown = " ".join(table.split())
    for name in ("crag", "cov_rag", "a2r", "coq", "fave"):
        _, _, departures = METHODS[name].algorithm.partition("Departures")
        for each in re.split(r"^- ", departures, flags=re.MULTILINE)[1:]:
            said = " ".join(each.partition("\n\n")[0].split())
            assert said.replace("|", "\\|") in shown
    assert "| `keep=last` | `keep=best` |" in shown


def test_the_picture_of_the_rooms_is_up_to_date() -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "draw_architecture.py"))
    assert script["PICTURE"].read_text(encoding="utf-8") == script["draw"](), (
        "run: python scripts/draw_architecture.py"
    )


def test_every_module_lives_in_a_room_and_every_room_has_a_line() -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "draw_architecture.py"))
    rooms = script["rooms"](script["layers"]())
    _, homeless = script["imports"](rooms)
    assert homeless == {"upheld", "upheld.__main__", "upheld._internal", "upheld_lab"}
    table = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").partition("```")[0]
    lines = set(re.findall(r"`(\w+)`", table))
    assert {name for _, name in rooms.values() if not name.startswith("lab:")} - lines == set()
