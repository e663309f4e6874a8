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
        (
            "<dl><dt><span><code>-j <em><code>jobs</code></em></code><br></span>"
            "<span><code>--jobs=<em><code>jobs</code></em></code></span></dt>"
            "<dd><p>Runs <em><code>jobs</code></em> at once.</p></dd></dl>",
            "- `-j jobs`, `--jobs=jobs`: Runs `jobs` at once.",
        ),
        (
            "<p>Write <code>FROM <em>a</em>, <em>b</em></code>, not <i>the <code>c</code></i>.</p>",
            "Write `FROM a, b`, not *the `c`*.",
        ),
        (
            "<dl><dt><p><b>last(x)</b></p><dd><p>It returns <i>x</i> of the row.</p></dl>",
            "- **last(x)**: It returns *x* of the row.",
        ),
        (
            "<p>A table has 2<sup>32</sup> pages of 5 m<sup>2</sup>, the 11<sup>th</sup>"
            " is<sup><a href='#n'>[1]</a></sup> H<sub>2</sub>O, <u>not</u> oil.</p>",
            "A table has 2^32 pages of 5 m^2, the 11th is[1] H2O, not oil.",
        ),
        (
            "<p>It has 2<sup>N</sup>, <i>n</i><sup>2</sup> or 2<sup>n-1</sup> rows,"
            " log<sub>2</sub>8 bits, 3<sup>1</sup>/<sub>2</sub> inches,"
            " 10<sub>2</sub> in 1999<sup><a>3</a></sup>.</p>",
            "It has 2^N, *n*^2 or 2^(n-1) rows, log2 8 bits, 3 1/2 inches, 10_2 in 1999[3].",
        ),
        (
            "<dl><dt><p>-a</p><p>--all</p></dt><dd><p>Shows all of them.</p></dd></dl>",
            "- -a, --all: Shows all of them.",
        ),
        (
            "<p>Run <code>first<br>second</code> and nothing else.</p>",
            "Run `first second` and nothing else.",
        ),
    ],
)
def test_a_sentence_is_not_cut(body: str, sentence: str) -> None:
    assert sentence in page_sentences(body)


def test_a_manual_page_of_asciidoc_keeps_its_name() -> None:
    header = (
        "<div id='header'><h1>git-stash(1)</h1><h2>NAME</h2>"
        "<div class='sectionbody'><p>git-stash - Stash the changes away</p></div></div>"
    )
    page = f"<html><body>{header}<div id='content'>{FILLER * 9}</div></body></html>"
    document = read(page.encode(), "git-stash.html")
    assert "git-stash - Stash the changes away" in document.text
    assert [each.title for each in document.headings] == ["NAME"]


def test_what_goes_on_after_a_block_of_code_is_not_lost() -> None:
    body = "<p>The command <pre>VACUUM\nFULL</pre> <b>cannot</b> be run in a block.</p>"
    assert "**cannot** be run in a block." in page_sentences(body)[-2]


def test_code_keeps_its_lines() -> None:
    page = f"<html><body>{FILLER}<pre>if x:\n    y = 1\n</pre>{FILLER}</body></html>"
    assert "if x:\n    y = 1" in read(page.encode(), "a.html").text
