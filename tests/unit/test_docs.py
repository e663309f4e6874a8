"""Pages that are written from the code say what the code says."""

from __future__ import annotations

import runpy
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def test_the_settings_page_is_up_to_date() -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "write_settings_page.py"))
    assert script["PAGE"].read_text(encoding="utf-8") == script["page"]()
