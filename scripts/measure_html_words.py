"""How many lines that the HTML reader makes are, letter by letter, text of the page.

python scripts/measure_html_words.py 12 /usr/share/doc/postgresql-doc-15/html /usr/share/doc/git-doc

reads every twelfth page below the folders. Rows of tables and numbers of lists are left out: the
reader writes names and numbers into them. Prints some of the lines that are no text of their page.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from lxml.html import fromstring

from upheld.ingest.read import read

SHORT, SHOWN = 15, 10  # letters of a line that is not looked at; lines that are printed
WRITTEN = re.compile(r" *\d+[.)] |\|")


def lines_of(page: Path) -> Iterator[tuple[str, bool]]:
    """The lines of a page as it is read, and whether each is text of the page."""
    content = page.read_bytes()
    tree = fromstring(content)
    for unseen in tree.xpath("//script|//style"):
        unseen.drop_tree()
    text = _letters(tree.text_content())
    for line in read(content, page.name).text.split("\n"):
        if len(said := _letters(line)) >= SHORT and not WRITTEN.match(line):
            yield line, said in text


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def main() -> None:
    """Count, and show."""
    step, *folders = sys.argv[1:]
    pages = sorted(path for folder in folders for path in Path(folder).rglob("*.html"))
    found = [(path, *line) for path in pages[:: int(step)] for line in lines_of(path)]
    wrong = [(path.name, line[:100]) for path, line, is_text in found if not is_text]
    print(f"{len(wrong)} of {len(found)} lines of {len(pages[:: int(step)])} pages are not theirs")
    for name, line in wrong[:SHOWN]:
        print(f"  {name}: {line}")


if __name__ == "__main__":
    main()
