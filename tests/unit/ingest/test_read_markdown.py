from __future__ import annotations

import time

import pytest

from upheld.ingest.read import Heading, read
from upheld.ingest.read.markdown import markdown_headings

SOURCE = """\
---
author: someone
---

# The *whole* `story` of [light](http://x)

Intro.

```python
# not a heading
```

    # nor this

## Waves ##

Text.

Particles
---------

> # a quoted heading

#hashtag
"""


def test_the_source_is_the_canonical_text() -> None:
    assert read(SOURCE.encode(), "a.md").text == SOURCE


def test_headings_are_those_that_commonmark_sees() -> None:
    headings = markdown_headings(SOURCE)
    assert [(h.level, h.title) for h in headings] == [
        (2, "author: someone"),  # CommonMark knows no front matter
        (1, "The whole story of light"),
        (2, "Waves"),
        (2, "Particles"),
        (1, "a quoted heading"),
    ]
    assert all(SOURCE[h.start - 1] == "\n" for h in headings[1:])
    assert SOURCE[headings[2].start :].startswith("## Waves")


def test_the_first_heading_of_level_one_is_the_title() -> None:
    assert read(b"## Small\n\n# Large\n", "a.md").title == "Large"
    assert read(b"No headings.", "a.md").title == ""


def test_offsets_count_code_points() -> None:
    text = "😀 e\u0301 中\r\n\r\n# Ünïcode 👍🏽\r\n\r\nBody."
    document = read(text.encode(), "a.md")
    (heading,) = document.headings
    assert heading == Heading(document.text.index("#"), 1, "Ünïcode 👍🏽")


@pytest.mark.parametrize("text", ["plain", "a # b", "1 - 2", ""])
def test_text_without_headings_has_none(text: str) -> None:
    assert markdown_headings(text) == ()


def test_comments_are_left_out_and_counted() -> None:
    source = (
        "# A\n\nSeen <!-- not\nseen --> here. `<!-- code -->` <!-- x -->\n\n"
        "```html\n<!-- shown -->\n```\n\n    <!-- shown too -->\n\n<!-- ever open\n# B\n"
    )
    document = read(source.encode(), "a.md")
    assert document.text == (
        "# A\n\nSeen  here. `<!-- code -->` \n\n"
        "```html\n<!-- shown -->\n```\n\n    <!-- shown too -->\n\n<!-- ever open\n# B\n"
    )
    assert document.hidden == len("<!--notseen--><!--x-->")
    assert [heading.title for heading in document.headings] == ["A"]


@pytest.mark.parametrize("text", ["<!--" * 20_000, "<!---->`" * 20_000, "<!-- -->" * 20_000])
def test_comments_take_linear_time(text: str) -> None:
    began = time.process_time()
    read(f"x {text}".encode(), "a.md")
    assert time.process_time() - began < 2


def test_rows_of_tables_name_their_columns() -> None:
    table = "| Model | Head |\n|---|---|\n| P40 | 44 m |\n| `P60` | |\n"
    document = read(f"# Pumps\n\n{table}\nThe end.\n".encode(), "pumps.md")
    assert document.text.split("\n") == [
        "# Pumps",
        "",
        "| Model: P40; Head: 44 m |",
        "| Model: `P60` |",
        "",
        "The end.",
        "",
    ]
    assert document.headings == (Heading(0, 1, "Pumps"),)


@pytest.mark.parametrize("kept", ["```\n| a | b |\n|---|---|\n| 1 | 2 |\n```", "a | b\nc | d"])
def test_bars_that_are_no_table_stay(kept: str) -> None:
    assert read(kept.encode(), "bars.md").text == kept
