"""Tables of HTML: data tables become lines that name their columns, others become plain blocks.

Pages also use tables for layout and navigation. A data table has rows and columns of short text;
any other is unwrapped, so that its content is read as part of the page itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from lxml import etree
from lxml.html import Element, HtmlElement

from upheld.ingest.read.tables import Cell, first_row_names_columns, table_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

# Markers around a row until the page is text. Rare but printable: trafilatura drops characters that
# are not.
_ROW_START, _ROW_END = "⟬⸨⟬", "⟭⸩⟭"
_ROWS_APART = re.compile(f"(?<![ \t])[ \t]*+{_ROW_END}\\s*+{_ROW_START}[ \t]*+")
_WHITE = re.compile(r"\s+")
_NAVIGATION = re.compile(r"(?:^|[\s_-])(?:nav|menu|toc|breadcrumb)", re.IGNORECASE)
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_BLOCKS = {
    *("address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "figure", "form"),
    *("footer", "header", "hr", "li", "main", "nav", "ol", "p", "pre", "section", "table", "tr"),
    *("ul", *_HEADINGS),
}
_PARTS = ("thead", "tbody", "tfoot", "tr", "td", "th", "colgroup", "col", "caption")
_MOST_SPANNED = 100  # columns; HTML allows 1,000
_MOST_HEADER_ROWS = 4
_LONGEST_CELL = 2_000  # characters; a longer cell is a part of the page
_LONGEST_ALT = 200  # of an image in a cell, often a tick or a cross
_BREAK = "\0"  # between the blocks of a cell; no parser lets it through
_ENDS = tuple(".,;:!?…")


def flatten_tables(root: HtmlElement, *, first_row_names: bool = False) -> None:
    """Replace each table below `root` by lines or blocks.

    With `first_row_names`, the first row of a table without marked headers becomes its header if it
    can be one: Word documents rarely mark theirs.
    """
    for table in list(root.iter("table")):
        if _is_navigation(table):
            continue
        rows = list(_rows(table))
        if _is_layout(table, rows):
            _unwrap(table, rows)
            continue
        cells = [[_cell(each, len(row)) for each in row] for row in rows]
        headers = _header_rows(rows, cells, first_row_names=first_row_names)
        _replace(table, _caption(table), table_lines(cells, headers))


def restore_rows(text: str) -> str:
    """Put rows of a flattened page on lines of their own, between bars."""
    text = _ROWS_APART.sub(" |\n| ", text)
    return text.replace(_ROW_START, "| ").replace(_ROW_END, " |")


def squeezed(text: str) -> str:
    """Collapse white space to single spaces, as browsers do."""
    return _WHITE.sub(" ", text).strip()


def _rows(table: HtmlElement) -> Iterator[list[HtmlElement]]:
    """Yield the cells of each row of this table, without those of nested tables."""
    for part in table:
        for row in [part] if part.tag == "tr" else part if part.tag in _PARTS[:3] else ():
            if row.tag == "tr":
                yield [cell for cell in row if cell.tag in ("td", "th")]


def _is_navigation(table: HtmlElement) -> bool:
    """Return whether a table is a menu, which trafilatura detects by links: it stays as it is."""
    around = [table, *islice(table.iterancestors(), 2)]
    return any(
        each.tag == "nav" or _NAVIGATION.search(f"{each.get('class', '')} {each.get('id', '')}")
        for each in around
    )


def _is_layout(table: HtmlElement, rows: Sequence[Sequence[HtmlElement]]) -> bool:
    if table.get("role") in ("presentation", "none") or not rows:
        return True
    if any(each is not table for each in table.iter("table")):
        return True
    if next(table.iter(*_HEADINGS), None) is not None:
        return True
    if next(table.iter("th"), None) is None and (len(rows) == 1 or max(map(len, rows)) < 2):
        return True
    return any(len(cell.text_content()) > _LONGEST_CELL for row in rows for cell in row)


def _header_rows(
    rows: Sequence[Sequence[HtmlElement]],
    cells: Sequence[Sequence[Cell]],
    *,
    first_row_names: bool,
) -> int:
    """Return how many leading rows name the columns."""
    marked = [
        bool(row) and (row[0].getparent().getparent().tag == "thead" or _all_headers(row))
        for row in rows
    ]
    if max(map(len, rows)) > 1 and not any(len(row) > 1 for row in rows[: sum(marked)]):
        marked = [False]  # one cell above all columns is a title
    count = marked.index(False) if False in marked else 0
    if count:
        return min(count, _MOST_HEADER_ROWS)
    bold = [all(map(_is_bold, row)) for row in rows[:2]]
    may_name = first_row_names or bold == [True, False]
    return int(may_name and not _is_form(rows) and first_row_names_columns(cells))


def _all_headers(row: Sequence[HtmlElement]) -> bool:
    return all(cell.tag == "th" and cell.get("scope") != "row" for cell in row)


def _is_form(rows: Sequence[Sequence[HtmlElement]]) -> bool:
    """Return whether only the first cell of each row is bold or a header: it names the row."""
    return all(len(row) == 2 and _is_bold(row[0]) and not _is_bold(row[1]) for row in rows)


def _is_bold(cell: HtmlElement) -> bool:
    bold = "".join(each.text_content() for each in cell.iter("b", "strong"))
    return cell.tag == "th" or squeezed(bold) == squeezed(cell.text_content())


def _cell(element: HtmlElement, cells_in_row: int) -> Cell:
    text = _text(element, "; " if cells_in_row == 1 else ", ")
    columns, rows = (_span(element.get(name)) for name in ("colspan", "rowspan"))
    return Cell(text, element.tag == "th", min(columns, _MOST_SPANNED), rows)


def _span(value: str | None) -> int:
    """Parse a span as HTML requires: invalid values are 1; zero rows means all that are left."""
    number = (value or "").strip()[:6]
    return (int(number) or 65_534) if number.isascii() and number.isdecimal() else 1


def _text(element: HtmlElement, between: str) -> str:
    """Return the text of a cell on one line; paragraphs and list items in it are separated."""
    pieces: list[str] = []
    for event, each in etree.iterwalk(element, events=("start", "end", "comment", "pi")):
        if event == "start":
            pieces += [_BREAK] if each.tag in _BLOCKS else []
            pieces.append(each.text or (each.get("alt") or "")[:_LONGEST_ALT])
        else:
            pieces += [_BREAK] if each.tag in _BLOCKS else []
            pieces.append("" if each is element else each.tail or "")
    text: list[str] = []
    for block in filter(None, map(squeezed, "".join(pieces).split(_BREAK))):
        text += [" " if text[-1].endswith(_ENDS) else between, block] if text else [block]
    return "".join(text)


def _caption(table: HtmlElement) -> str:
    caption = table.find("caption")
    return "" if caption is None else squeezed(caption.text_content())


def _replace(table: HtmlElement, caption: str, lines: Sequence[str]) -> None:
    block = Element("div")
    for line in [caption, *lines] if caption else lines:
        paragraph = etree.SubElement(block, "p")
        is_row = line.startswith("| ") and line is not caption
        paragraph.text = f"{_ROW_START}{line[2:-2]}{_ROW_END}" if is_row else line
    block.tail = table.tail
    parent = table.getparent()
    if parent is not None:
        parent.replace(table, block)


def _unwrap(table: HtmlElement, rows: Sequence[Sequence[HtmlElement]]) -> None:
    """Turn the table, its rows and cells into plain blocks."""
    for each in [table, *table.iterchildren(*_PARTS), *(row[0].getparent() for row in rows if row)]:
        each.tag = "div"
    for row in rows:
        for cell in row:
            cell.tag = "div"
