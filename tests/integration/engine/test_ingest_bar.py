"""The progress bar of `upheld index`, as a terminal shows it."""

from __future__ import annotations

import io
import re
import time
from dataclasses import replace

from rich.console import Console

from upheld._internal.progress import adding
from upheld.add_report import Progress


def test_the_bar_shows_the_file_a_rate_and_an_estimate() -> None:
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=120)
    with adding(console) as show:
        assert show is not None
        at = Progress(files=1, files_total=9, bytes=100, bytes_total=1000)
        for step in range(6):
            name = f"annual \x1b[2Jreport {step}.pdf"
            show(replace(at, bytes_begun=100 * step, passages_begun=step, reading=(name,)))
            time.sleep(0.12)  # the bar draws itself ten times a second
    drawn = out.getvalue()
    assert "annual ?[2Jreport 5.pdf" in drawn
    assert "1/9 files" in drawn
    assert "5 passages" in drawn
    assert re.search(r"[1-9]\d*/s · 0:00:0\d", re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", drawn))
