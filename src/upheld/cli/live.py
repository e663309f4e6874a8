"""What `upheld ask` shows on a terminal while it works: the stage, and sentences as they come."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from rich.console import Console, Group
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from upheld._internal.progress import printable
from upheld.types import Event

# Stages by what they do, for people; others are shown by their own name.
DOING = {
    "standalone": "reading the conversation",
    "search": "searching",
    "embed": "searching",
    "web_search": "searching the web",
    "rerank": "ordering passages",
    "grade": "grading passages",
    "plan": "planning",
    "write": "writing",
    "verify": "checking",
    "relevance": "checking",
    "repair": "repairing",
}
_MOST_SENTENCES = 12  # of a draft; a terminal has not many lines
_TEXT = re.compile(r'"text"\s*+:\s*+"((?:[^"\\]++|\\.)*+)("?)')


@dataclass(slots=True)
class Screen:
    """A line that says what is being done, and under it a draft that nobody has checked yet."""

    stage: str = "opening"
    calls: int = 0
    sentences: list[str] = field(default_factory=list)
    live: Live | None = None
    started: float = field(default_factory=time.monotonic)
    _spinner: Spinner = field(default_factory=lambda: Spinner("dots"))

    def began(self, stage: str) -> None:
        self.stage = DOING.get(stage, stage.replace("_", " "))

    def ended(self, event: Event) -> None:
        """Count calls of the language model; a step's usage holds that of no other."""
        self.calls += event.usage.requests

    def wrote(self, text: str) -> None:
        """Show what is there of a reply; only drafts have sentences."""
        sentences = sentences_in(text)
        if sentences and sentences != self.sentences:
            finished = len(sentences) != len(self.sentences)
            self.sentences = sentences
            if finished and self.live is not None:
                self.live.refresh()

    def __rich__(self) -> Group:
        seconds = time.monotonic() - self.started
        calls = f" · {self.calls} calls of the language model" if self.calls else ""
        self._spinner.update(text=Text(f"{self.stage} · {seconds:.0f} s{calls}"))
        shown = self.sentences[-_MOST_SENTENCES:]
        return Group(self._spinner, *(Text(f"… {each}", style="dim") for each in shown))


def sentences_in(reply: str) -> list[str]:
    """The texts of claims in a reply that is still being written; the last may be half a one."""
    found: list[str] = []
    for inside, _ in _TEXT.findall(reply):
        try:
            text = json.loads(f'"{inside}"', strict=False)
        except ValueError:  # cut inside an escape
            text = inside.rpartition("\\")[0]
        if text.strip():
            found.append(printable(" ".join(text.split())))
    return found


@contextmanager
def watching(console: Console) -> Iterator[Screen]:
    """A screen on a terminal, which is gone when the block ends."""
    screen = Screen()
    with Live(screen, console=console, transient=True, refresh_per_second=8) as live:
        screen.live = live
        yield screen
