"""Write docs/settings.md from the settings themselves; a test asserts that it is up to date."""

from __future__ import annotations

from pathlib import Path

from upheld.settings import Settings

PAGE = Path(__file__).parent.parent / "docs" / "settings.md"
HEAD = """# Settings

Read once, in rising order, from `upheld.toml` in the working folder, from environment variables
(`UPHELD_` and the name in capitals), and from the call or the command line. Unknown names are
refused. Every name can be given to `Upheld.open(kb, name=value)`.

<!-- written by scripts/write_settings_page.py -->

| name | default | meaning |
|---|---|---|
"""


def page() -> str:
    """The page as it should be."""
    rows = []
    for name, field in Settings.model_fields.items():
        default = field.get_default(call_default_factory=True, validated_data={})
        shown = "" if default in (None, {}) else f"`{default}`"
        rows.append(f"| `{name}` | {shown} | {field.description} |")
    return HEAD + "\n".join(rows) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
