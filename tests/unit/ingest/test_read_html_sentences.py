"""A sentence of a page stays whole, whatever mark-up and line breaks it holds."""

from __future__ import annotations

import pytest

from upheld.ingest.read import read
from upheld.text.sentences import sentences

FILLER = "<p>Vacuuming reclaims the room that dead rows take, and it should be done every day.</p>"


def page_sentences(body: str) -> list[str]:
    page = f"<html><body><h1>VACUUM</h1>{FILLER}{body}{FILLER}</body></html>"
    found = sentences(read(page.encode(), "vacuum.html").text)
    return [" ".join(each.split()) for each in found]


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (
            "<p>If you have changes, <code>git\nsubmodule update</code> cannot overwrite them.</p>",
            "If you have changes, `git submodule update` cannot overwrite them.",
        ),
        (
            "<p>The <code>VACUUM FULL</code> command\n<code>cannot</code> be run in a block.</p>",
            "The `VACUUM FULL` command `cannot` be run in a block.",
        ),
        (
            "<p>The helper processes consist of \n  \n  the launcher and the writer.</p>",
            "The helper processes consist of the launcher and the writer.",
        ),
        (
            "<p>Release 9 had a command\n  <code>x</code>\n  <a id='i'></a>\n  to fetch logs.</p>",
            "Release 9 had a command `x` to fetch logs.",
        ),
        (
            "<dl><dt>-h</dt><dd><p>Shows help.</p><div><h3>Note</h3><p>\n Long words do\n"
            " not have to be quoted.</p></div></dd></dl>",
            "Note: Long words do not have to be quoted.",
        ),
        (
            "<dl><dt>-d</dt>\n<dt> --delete </dt><dd><p> All refs are deleted.</p></dd></dl>",
            "- -d, --delete: All refs are deleted.",
        ),
        (
            "<dl><dt><span><code>-1</code><br></span><span><code>--single</code> <a id='x'></a>\n"
            "</span></dt><dd><div><p>Restores at once.</p></div></dd></dl>",
            "- `-1`, `--single`: Restores at once.",
        ),
        (
            "<dl><dt>Can I undo it?</dt><dd>You cannot.</dd></dl>",
            "- Can I undo it?",
        ),
        (
            "<ul><li><h4><b>Caution</b></h4><p>It cannot be undone.</p></li></ul>",
            "- **Caution**: It cannot be undone.",
        ),
    ],
)
def test_a_sentence_is_not_cut(body: str, sentence: str) -> None:
    assert sentence in page_sentences(body)


def test_what_goes_on_after_a_block_of_code_is_not_lost() -> None:
    body = "<p>The command <pre>VACUUM\nFULL</pre> <b>cannot</b> be run in a block.</p>"
    assert "**cannot** be run in a block." in page_sentences(body)[-2]


def test_code_keeps_its_lines() -> None:
    page = f"<html><body>{FILLER}<pre>if x:\n    y = 1\n</pre>{FILLER}</body></html>"
    assert "if x:\n    y = 1" in read(page.encode(), "a.html").text
