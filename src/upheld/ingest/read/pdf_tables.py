"""Find tables on a PDF page by ruled lines or by the alignment of its words.

A PDF has no tables, only words at positions. A table here has a line under its header, or columns
of figures below words; everything else stays text, since wrong column names would mislead.
"""

from __future__ import annotations

import ctypes
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from upheld.ingest.read.tables import Cell, first_row_names_columns, is_figure, numbered_lines

if TYPE_CHECKING:
    from pypdfium2 import PdfPage, PdfTextPage

EDGE = 2  # lines above or below a table that may be a running title and a page number
_MOST_WORDS = 20_000  # per page; more is a map or a poster
_MOST_RULES = 400  # the same
_THIN = 2.0  # points; a thicker one is a box, not a line
_NEAR = 3.0  # points within which two edges count as one
_SHORTEST_RULE = 20.0
_RIVER = 0.7  # times the letter size: the least white space between columns
_RAISED = 0.5  # the same, vertically: how far apart words of one line may be, with exponents
_CROWDED = 0.8  # times the letter size: lines that are closer overlap
_FEWEST_ROWS = 3  # of a table that no closing line ends
_WIDE = 1.0  # like `_RIVER`, if no line is drawn
_MOST_HEADER_LINES = 3
_LONGEST_NAME = 60
_LONGEST_CELL = 600
_WORD = re.compile(r"\S+")
_FIGURE = re.compile(r"[-+−–$€£¥<>≤≥~(]{0,2}[.,]?\d")
_BOLD = re.compile(rb"bold|black|heavy|demi|CMBX", re.IGNORECASE)
_LEADERS = re.compile(r"\.{4,}|(?:\. ){3}")


@dataclass(frozen=True, slots=True)
class Word:
    """A word and its position; `line` is the number of its line in the page's text."""

    text: str
    left: float
    right: float
    y: float  # of its base line; larger is higher
    size: float
    line: int
    start: int  # of its first character in the page's text

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2

    @property
    def span(self) -> tuple[int, int]:
        return self.start, self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class PdfTable:
    """Lines `first` to before `last` of a page's text, as rows that name their columns."""

    first: int
    last: int
    rows: tuple[str, ...]
    names: tuple[str, ...]  # column names
    words: tuple[tuple[tuple[int, int], ...], ...]  # of each row: start and end of its words


_Line = list[Word]  # the words on one base line, from left to right
_Table = tuple[list[list[str]], list[_Line]]  # the cells of each row, and the words of each row


@dataclass(frozen=True, slots=True)
class _Rule:
    """A horizontal line drawn on the page."""

    left: float
    right: float
    y: float


def find_tables(
    page: PdfPage, textpage: PdfTextPage, lines: Sequence[str], carried: Sequence[str] = ()
) -> list[PdfTable]:
    """Return the tables of a page, in order; `lines` is its text, with PDFium's offsets.

    `carried` are the column names of a table at the end of the previous page, which may continue.
    """
    words = _words(textpage, lines)
    if not words or len(words) > _MOST_WORDS:
        return []
    on_line: dict[int, int] = {}
    for word in words:
        on_line[word.line] = on_line.get(word.line, 0) + 1
    rules, uprights = _rules(page)
    found: list[PdfTable] = []
    taken: set[int] = set()
    for cells, in_rows in [*_ruled(words, rules, uprights), *_aligned(words, textpage)]:
        used = [word for row in in_rows for word in row]
        numbers = sorted({word.line for word in used})
        whole = sum(on_line[number] for number in numbers) == len(used)
        in_a_row = numbers[-1] - numbers[0] + 1 == len(numbers)
        if whole and in_a_row and taken.isdisjoint(numbers) and _is_clear(cells):
            taken.update(numbers)
            names, body, sources = cells[0], cells[1:], in_rows
            at_top = numbers[0] <= EDGE and not _is_header(textpage, cells, used)
            if at_top or not all(map(_may_name, names)):
                # The first row at the top of a page may be a body row of a table that continues.
                names = list(carried) if len(carried) == len(names) else [""] * len(names)
                body, sources = cells, [[], *in_rows]
            lines_of = numbered_lines([[Cell(text) for text in row] for row in [names, *body]], 1)
            rows = tuple(line for _, line in lines_of)
            spans = tuple(tuple(word.span for word in sources[number]) for number, _ in lines_of)
            found.append(PdfTable(numbers[0], numbers[-1] + 1, rows, tuple(names), spans))
    return sorted(found, key=lambda table: table.first)


def _words(textpage: PdfTextPage, lines: Sequence[str]) -> list[Word]:
    from pypdfium2.raw import FPDFText_GetCharBox, FPDFText_GetCharOrigin

    left, right, bottom, top, x, y = (ctypes.c_double() for _ in range(6))
    words: list[Word] = []
    start = 0
    for number, line in enumerate(lines):
        for match in _WORD.finditer(line):
            FPDFText_GetCharBox(textpage, start + match.end() - 1, left, right, bottom, top)
            end = right.value
            FPDFText_GetCharBox(textpage, start + match.start(), left, right, bottom, top)
            FPDFText_GetCharOrigin(textpage, start + match.start(), x, y)
            size = max(top.value - bottom.value, 4.0) * 1.4  # letters are lower than their size
            at = start + match.start()
            words.append(Word(match[0], left.value, end, y.value, min(size, 14.0), number, at))
        start += len(line) + len("\r\n")
    return words


def _rules(page: PdfPage) -> tuple[list[_Rule], list[tuple[float, float, float]]]:
    """Return horizontal lines, and vertical ones as (x, from, to); none if there are too many."""
    from pypdfium2.raw import FPDF_PAGEOBJ_PATH

    across: list[_Rule] = []
    up: list[tuple[float, float, float]] = []
    for drawn in page.get_objects(filter=[FPDF_PAGEOBJ_PATH]):
        left, bottom, right, top = drawn.get_bounds()
        if top - bottom <= _THIN and right - left >= _SHORTEST_RULE:
            across.append(_Rule(left, right, (bottom + top) / 2))
        elif right - left <= _THIN and top - bottom > _NEAR:
            up.append(((left + right) / 2, bottom, top))
        if len(across) + len(up) > _MOST_RULES:
            return [], []
    return across, up


def _ruled(
    words: Sequence[Word], rules: Sequence[_Rule], uprights: Sequence[tuple[float, float, float]]
) -> Iterator[_Table]:
    """Yield cells and words between lines of the same width, or below a single line."""
    for left, right, heights in _stacks(rules):
        inside = [word for word in words if left - _NEAR <= word.middle <= right + _NEAR]
        page_lines = _base_lines(inside)
        tops = [-line[0].y for line in page_lines]  # negated, so that they increase
        edges = [0] + [bisect_left(tops, -y) for y in heights] + [len(page_lines)]
        bands = [page_lines[first:last] for first, last in pairwise(edges)]
        borders = _between(uprights, left, right, heights)
        at, some = 1, False
        while at < len(bands) - 1:
            table = _from_bands(bands[at], bands[at + 1 :], borders)
            if table is not None and table[0]:
                yield table[:2]
                some = True
            at += 1 if table is None else table[2] + 1
        if not some and bands[0]:
            # The line above the first rule is a header if its words are as far apart.
            header = bands[0][-1:]
            table = _from_bands(header, bands[1:], borders)
            if table and table[0] and len(_stripes(header, _WIDE)) + 1 == len(table[0][0]):
                yield table[:2]


def _stacks(rules: Sequence[_Rule]) -> Iterator[tuple[float, float, list[float]]]:
    """Yield groups of lines with the same edges, from the top; lines close together are merged."""
    ordered = sorted(rules, key=lambda rule: (round(rule.left / _NEAR), round(rule.right / _NEAR)))
    for _, same in groupby(
        ordered, key=lambda rule: (round(rule.left / _NEAR), round(rule.right / _NEAR))
    ):
        stack = sorted(same, key=lambda rule: -rule.y)
        heights = [stack[0].y]
        for rule in stack[1:]:
            if heights[-1] - rule.y > _NEAR:
                heights.append(rule.y)
        yield stack[0].left, stack[0].right, heights


def _between(
    uprights: Sequence[tuple[float, float, float]], left: float, right: float, ys: Sequence[float]
) -> list[float]:
    """Return where vertical lines separate columns inside a group of horizontal lines."""
    inside = sorted(
        x
        for x, low, high in uprights
        if left + _NEAR < x < right - _NEAR and low < ys[0] and high > ys[-1]
    )
    return [x for before, x in pairwise([left, *inside]) if x - before > _NEAR]


def _base_lines(words: Sequence[Word]) -> list[_Line]:
    """Group words by base line, from the top."""
    lines: list[_Line] = []
    for word in sorted(words, key=lambda word: (-word.y, word.left)):
        if lines and lines[-1][0].y - word.y <= max(_NEAR, _RAISED * word.size):
            lines[-1].append(word)
        else:
            lines.append([word])
    return [sorted(line, key=lambda word: word.left) for line in lines]


def _from_bands(
    header: Sequence[_Line], bands: Sequence[Sequence[_Line]], borders: Sequence[float]
) -> tuple[list[list[str]], list[_Line], int] | None:
    """Build a table of a header and as many bands below it as fit its columns.

    Returns cells, their words and the number of bands used; no cells if the rows are not clear.
    """
    if not 1 <= len(header) <= _MOST_HEADER_LINES:
        return None
    *closed, below = bands
    stripes = [(x, x) for x in borders] or _stripes(header, _RIVER)
    names = _cells(header, _middles(stripes))
    if not stripes or not all(names[1:]) or not (names[0] or borders):
        return None
    body: list[_Line] = []
    ends: list[int] = []  # the end of each band of the body
    for band in closed:
        narrower = stripes if borders else _narrowed(stripes, band, _RIVER)
        if not band or not narrower or _crosses(band, borders):
            break
        stripes = narrower
        body += band
        ends.append(len(body))
    if not closed and not borders:
        body, stripes = _fitting(header, below, stripes)
        full = [line for line in body if len(_filled(line, _middles(stripes))) > len(stripes)]
        if len(full) < max(_FEWEST_ROWS, len(body) / 2):
            return None
    columns = _middles(stripes)
    starts = _row_starts(body, columns, ends if borders else [])
    rows = [header, *(body[a:b] for a, b in pairwise([*starts, len(body)]))] if starts else []
    cells = [_cells(row, columns) for row in rows]
    return cells, [[word for line in row for word in line] for row in rows], len(ends)


def _fitting(
    header: Sequence[_Line], band: Sequence[_Line], stripes: list[_Stripe]
) -> tuple[list[_Line], list[_Stripe]]:
    """Return the first lines of an open band that are close together and fit the columns."""
    fitting: list[_Line] = []
    before = header[-1]
    step = 0.0
    for line in band:
        gap = before[0].y - line[0].y
        limit = 1.5 * step if step else 4.0 * line[0].size
        narrower = _narrowed(stripes, [line], _WIDE)
        if gap > limit or not narrower:
            break
        stripes = narrower
        fitting.append(line)
        step = max(step, gap) if len(fitting) > 1 else 0.0
        before = line
    return fitting, stripes


_Stripe = tuple[float, float]  # (left, right) of the white space between two columns


def _stripes(lines: Sequence[_Line], least: float) -> list[_Stripe]:
    """Return the white stripes that run down through all lines."""
    spans = sorted((word.left, word.right, word.size) for line in lines for word in line)
    found: list[_Stripe] = []
    reach = spans[0][1] if spans else 0.0
    for left, right, size in spans:
        if left - reach >= least * size:
            found.append((reach, left))
        reach = max(reach, right)
    return found


def _narrowed(stripes: Sequence[_Stripe], lines: Sequence[_Line], least: float) -> list[_Stripe]:
    """Narrow stripes to what more lines leave of them; empty if one becomes too narrow."""
    lefts, rights = [left for left, _ in stripes], [right for _, right in stripes]
    middles = _middles(stripes)
    for line in lines:
        for word in line:
            column = bisect_right(middles, word.middle)
            if column < len(stripes):
                lefts[column] = max(lefts[column], word.right)
            if column > 0:
                rights[column - 1] = min(rights[column - 1], word.left)
            for at in (column - 1, column):
                if 0 <= at < len(stripes) and rights[at] - lefts[at] < least * word.size:
                    return []
    return list(zip(lefts, rights, strict=True))


def _crosses(lines: Sequence[_Line], borders: Sequence[float]) -> bool:
    """Return whether a word crosses a column border, so that the drawing is not a table."""
    return any(
        bisect_right(borders, word.left + 1) < bisect_left(borders, word.right - 1)
        for line in lines
        for word in line
    )


def _middles(stripes: Sequence[_Stripe]) -> list[float]:
    return [(left + right) / 2 for left, right in stripes]


def _row_starts(body: Sequence[_Line], columns: Sequence[float], ends: Sequence[int]) -> list[int]:
    """Return the indexes at which rows begin; empty if that is not clear.

    A row begins with a word in the first column, or words in each of the others. If lines separate
    columns and rows (`ends`), a row is everything between two lines, unless it looks like several.
    """
    filled = [_filled(line, columns) for line in body]
    begins = [0 in each or len(each) == len(columns) > 1 for each in filled]
    if not body or not begins[0]:
        return []
    if any(a[0].y - b[0].y < _CROWDED * b[0].size for a, b in pairwise(body)):
        return []  # formulas, whose parts are above each other
    if len(ends) < 2:
        return [number for number, begin in enumerate(begins) if begin]
    starts = [0, *ends[:-1]]
    for first, last in pairwise([*starts, len(body)]):
        several = sum(0 in each and len(each) > 1 for each in filled[first:last])
        if several > 1:
            return []
    return starts


def _filled(line: _Line, columns: Sequence[float]) -> set[int]:
    return {bisect_right(columns, word.middle) for word in line}


def _cells(lines: Sequence[_Line], columns: Sequence[float]) -> list[str]:
    texts: list[list[str]] = [[] for _ in range(len(columns) + 1)]
    for line in lines:
        for word in line:
            texts[bisect_right(columns, word.middle)].append(word.text)
    return [" ".join(text) for text in texts]


def _aligned(words: Sequence[Word], textpage: PdfTextPage) -> Iterator[_Table]:
    """Find tables without lines: at least three rows and columns below a clear header."""
    runs: list[list[_Line]] = [[]]
    columns = 0
    for line in _base_lines(words):
        count = len(_stripes([line], _WIDE))
        if count < 2 or count != columns:
            runs.append([])
        columns = count
        if count >= 2:
            runs[-1].append(line)
    for run in runs:
        columns_between = _middles(_stripes(run, _WIDE)) if len(run) >= _FEWEST_ROWS else []
        if len(columns_between) >= 2 and len(columns_between) == len(_stripes(run[:1], _WIDE)):
            cells = [_cells([line], columns_between) for line in run]
            named = first_row_names_columns([[Cell(text) for text in row] for row in cells])
            used = [word for line in run for word in line]
            if named and _is_header(textpage, cells, used):
                yield cells, run


def _may_name(text: str) -> bool:
    return len(text) <= _LONGEST_NAME and not text.endswith((".", ",", ";"))


def _is_header(textpage: PdfTextPage, cells: Sequence[Sequence[str]], used: Sequence[Word]) -> bool:
    """Return whether the first row is surely a header: words above figures, or alone in bold."""
    if any(all(map(_FIGURE.match, column)) for column in zip(*cells[1:], strict=True)):
        return not any(map(_FIGURE.match, cells[0]))
    header = len(" ".join(cells[0]).split())
    bold = [_is_bold(textpage, word) for word in used]
    return all(bold[:header]) and not any(bold[header:])


def _is_bold(textpage: PdfTextPage, word: Word) -> bool:
    from pypdfium2.raw import FPDFText_GetFontInfo

    name = ctypes.create_string_buffer(200)
    FPDFText_GetFontInfo(textpage, word.start, name, len(name), ctypes.c_int())
    return bool(_BOLD.search(name.value))


def _is_clear(cells: Sequence[Sequence[str]]) -> bool:
    texts = [text for row in cells for text in row]
    return (
        len(cells) > 1
        and not any(is_figure(name) for name in cells[0])
        and len(set(cells[0])) == len(cells[0])
        and all(len(text) <= _LONGEST_CELL and not _LEADERS.search(text) for text in texts)
    )
