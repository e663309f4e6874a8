"""Cut a document into passages: whole paragraphs where they fit, else whole sentences.

Sizes, and the splitters that were measured: docs/decisions/002-chunking.md.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import partial
from pathlib import Path

from upheld.ingest.count import CharacterCounter, Counter, TokenCounter
from upheld.ingest.read.document import Heading, ReadDocument
from upheld.text.sentences import Span, block_spans, sentences_of_block
from upheld.types import Document, Passage, Place, content_hash, passage_id

WINDOW = 256  # tokens that the embedder reads, including its two special tokens
_RULES = "7"  # increase this if the same text would be cut differently
_CHARACTERS = 10  # per token; prose has 4 to 5, more is not prose (encoded data, ruled lines)
_WORD = re.compile(r"\S+")
_DEFINITION = re.compile(r"[-*+•] [^\n]{1,120}?:\s")  # a list item that says what a term means


class _Grain(Enum):
    BLOCK = "block"
    SENTENCE = "sentence"
    WORDS = "words"


@dataclass(frozen=True, slots=True)
class _Piece:
    start: int
    end: int
    tokens: int
    grain: _Grain
    opens: bool = False  # starts a heading or a page
    defines: bool = False  # starts the definition of a term
    announces: bool = False  # ends with a colon: the code or the list that follows belongs to it


@dataclass(frozen=True, slots=True)
class Chunker:
    """Cuts documents into passages; `version` changes if the same text would be cut differently."""

    counter: Counter = field(default_factory=CharacterCounter)
    version: str = f"{_RULES}-characters"
    most: int = 128  # tokens of a passage's own text
    least: int = 64  # tokens left for its text, however long its title and headings are
    full_enough: float = 0.6  # share of the room; then a passage ends at a heading or page
    full_enough_to_define: float = 0.25  # then it ends before the definition of another term

    @classmethod
    def with_tokenizer(cls, path: Path) -> Chunker:
        """Make a chunker that counts with the embedder's tokenizer.json at `path`."""
        version = f"{_RULES}-{content_hash(path.read_bytes())[:8]}"
        return cls(TokenCounter.from_file(path), version)

    def __call__(self, document: Document, read: ReadDocument) -> tuple[Passage, ...]:
        """Return the passages in order; together they contain all text except white space."""
        version = document.version
        cut = self
        if isinstance(self.counter, TokenCounter):
            cut = replace(self, counter=self.counter.for_one_document())
        later = places_of(read, document.title)
        starts = [place.start for place in later]
        return tuple(
            Passage(
                id=passage_id(document.id, version, start, end),
                text=document.text[start:end],
                document_id=document.id,
                document_version=version,
                start=start,
                end=end,
                title=document.title,
                uri=document.uri,
                page=bisect_right(read.pages, start) or None,
                heading_path=path,
                labels=document.labels,
                places=later[bisect_right(starts, start) : bisect_left(starts, end)],
            )
            for start, end, path in cut._spans(document, read)
        )

    def _spans(
        self, document: Document, read: ReadDocument
    ) -> Iterator[tuple[int, int, tuple[str, ...]]]:
        """Fill passages greedily, with the coarsest pieces that fit."""
        text = document.text
        pieces = deque(self._blocks(text, read))
        path_at = _path_finder(read.headings, document.title)
        page_at = partial(bisect_right, read.pages)
        title = self.counter(document.title)
        start = end = used = 0
        last: _Piece | None = None  # of the passage, if it announces what follows
        path: tuple[str, ...] = ()
        room = self.most
        while pieces:
            piece = pieces.popleft()
            if piece.grain is _Grain.BLOCK and page_at(piece.start) != page_at(piece.end - 1):
                pieces.extendleft(reversed(self._finer(text, piece, room)))
                continue
            if used and page_at(piece.start) != page_at(start):
                # A passage is on one page only, so that a citation never names the wrong page.
                yield start, end, path
                used = 0
            if not used:
                start = piece.start
                path, room = self._share_window(path_at(start), title)
            crowded = used >= room * self.full_enough
            ends = (piece.opens and crowded) or (
                piece.defines and used >= room * self.full_enough_to_define
            )
            fits = used + piece.tokens <= room and piece.end - start <= room * _CHARACTERS
            smallest = piece.grain is _Grain.WORDS or (
                piece.grain is _Grain.SENTENCE and used > 0 and piece.tokens <= room
            )
            if (fits and not ends) or (smallest and not used):
                announces = piece.announces and piece.start > start
                used, end, last = used + piece.tokens, piece.end, piece if announces else None
            elif ends or crowded or smallest:
                pieces.appendleft(piece)
                if last is not None and last.tokens + piece.tokens <= room:
                    pieces.appendleft(last)
                    end = len(text[start : last.start].rstrip()) + start
                    last = None
                yield start, end, path
                used = 0
            else:
                pieces.extendleft(reversed(self._finer(text, piece, room)))
        if used:
            yield start, end, path

    def _share_window(self, path: tuple[str, ...], title: int) -> tuple[tuple[str, ...], int]:
        """Return the headings to embed and the tokens left; outer headings are dropped first."""
        while True:
            room = WINDOW - 2 - title - self.counter(" > ".join(path))
            if room >= self.least or not path:
                return path, min(self.most, max(self.least, room))
            path = path[1:]

    def _blocks(self, text: str, read: ReadDocument) -> Iterator[_Piece]:
        opens = {heading.start for heading in read.headings}
        # A page joined by a single line end continues in the middle of a sentence.
        opens.update(page for page in read.pages if text[max(page - 2, 0) : page] in ("", "\n\n"))
        borders = sorted(opens)
        before = 0
        for start, end in block_spans(text, borders):
            at = bisect_right(borders, start)
            announces = text[max(start, end - 4) : end].rstrip("*_").endswith(":")
            tokens = self._tokens(text[start:end])
            defines = _DEFINITION.match(text, start, end) is not None
            yield _Piece(start, end, tokens, _Grain.BLOCK, at > before, defines, announces)
            before = at

    def _finer(self, text: str, piece: _Piece, room: int) -> list[_Piece]:
        """Split a block into sentences, or a sentence into runs of words (or characters)."""
        if piece.grain is _Grain.BLOCK:
            spans, grain = sentences_of_block(text, piece.start, piece.end), _Grain.SENTENCE
            # The bars around a table row belong to no sentence, but to the text.
            spans = spans or [(piece.start, piece.end)]
            spans[0] = (piece.start, spans[0][1])
            spans[-1] = (spans[-1][0], piece.end)
        else:
            spans, grain = self._word_runs(text, piece, room), _Grain.WORDS
        pieces = [_Piece(start, end, self._tokens(text[start:end]), grain) for start, end in spans]
        pieces[0] = replace(pieces[0], opens=piece.opens, defines=piece.defines)
        pieces[-1] = replace(pieces[-1], announces=piece.announces)
        return pieces

    def _tokens(self, text: str) -> int:
        return self.counter(text) or 1  # punctuation alone may have none, and is still text

    def _word_runs(self, text: str, piece: _Piece, room: int) -> list[Span]:
        runs: list[Span] = []
        used = start = end = 0
        few = room // 4  # small runs fill a passage better
        for match in _WORD.finditer(text, piece.start, piece.end):
            tokens = self._tokens(match[0])
            if used and (used + tokens > few or match.end() - start > few * _CHARACTERS):
                runs.append((start, end))
                used = 0
            if tokens > few or len(match[0]) > few * _CHARACTERS:
                step = room // 3  # a character may be three tokens
                ends = range(match.start(), match.end(), step)
                runs += [(at, min(at + step, match.end())) for at in ends]
                continue
            start = start if used else match.start()
            used, end = used + tokens, match.end()
        return [*runs, (start, end)] if used else runs


def whole_passage(document: Document, read: ReadDocument) -> Passage:
    """Return the whole document as one passage: sources to verify are not cut."""
    version, end = document.version, len(document.text)
    return Passage(
        id=passage_id(document.id, version, 0, end),
        text=document.text,
        document_id=document.id,
        document_version=version,
        start=0,
        end=end,
        title=document.title,
        uri=document.uri,
        page=1 if read.pages else None,
        places=places_of(read, document.title),
    )


def places_of(read: ReadDocument, title: str) -> tuple[Place, ...]:
    """Return each offset at which a page or heading begins, with its page and heading path."""
    path_at = _path_finder(read.headings, title)
    starts = sorted({*read.pages, *(heading.start for heading in read.headings)})
    return tuple(
        Place(start, bisect_right(read.pages, start) or None, path_at(start)) for start in starts
    )


def _path_finder(headings: Sequence[Heading], title: str) -> Callable[[int], tuple[str, ...]]:
    """Return a function from offset to heading path, without a heading that repeats the title."""
    starts: list[int] = []
    paths: list[tuple[str, ...]] = [()]
    open_headings: list[Heading] = []
    for heading in headings:
        while open_headings and open_headings[-1].level >= heading.level:
            open_headings.pop()
        open_headings.append(heading)
        path = tuple(each.title for each in open_headings)
        starts.append(heading.start)
        paths.append(path[1:] if path[0] == title else path)
    return lambda offset: paths[bisect_right(starts, offset)]
