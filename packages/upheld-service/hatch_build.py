"""Builds the page from `web/` into the package, before a wheel or a source archive is made.

A source archive brings the page with it, so that a wheel is built from it without Node.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PAGE = Path("src/upheld_service/page")
SOURCES = ("src/**/*", "public/*", "index.html", "package-lock.json", "vite.config.ts")


class PageHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs `npm ci` and the build where `web/` is, unless the page is newer than all of it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make sure that the page is there; an editable install does without."""
        if version == "editable":
            return
        web, index = Path(self.root).parents[1] / "web", Path(self.root) / PAGE / "index.html"
        if web.is_dir() and not _is_current(index, web):
            if shutil.which("npm") is None:
                raise RuntimeError(
                    "Building the page needs npm and Node 20.19 or newer. Install them, or run "
                    "`make page` before, which brings Node in a wheel."
                )
            for command in (("npm", "ci", "--no-audit", "--no-fund"), ("npm", "run", "build")):
                subprocess.run(command, cwd=web, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 — ours
        if not index.is_file():
            raise RuntimeError("The page is missing, and there is no web/ to build it from.")
        build_data["artifacts"].append(f"{PAGE.as_posix()}/**")


def _is_current(index: Path, web: Path) -> bool:
    if not index.is_file():
        return False
    built = index.stat().st_mtime
    return all(path.stat().st_mtime <= built for pattern in SOURCES for path in web.glob(pattern))
