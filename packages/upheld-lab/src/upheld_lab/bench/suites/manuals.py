"""The suite `manuals`: what engineers ask of real manuals, with the sentences that answer.

The manuals are not in the pack. They are packages of Debian, which the user installs, so that all
measure on the same bytes; the manifest has a hash of what was read. The first load reads them in
minutes; later ones take the passages from the cache of the bench. They are searched whole, whatever
number of passages is asked for: in a part of a manual, the answer is easier to find.

To the pack's questions come some of our own that nothing answers: `manuals/unanswerable.jsonl`.

All questions are on dev: read failures on them, and publish no figure of them as a test.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

from upheld.errors import NotFoundError
from upheld.text.sentences import sentences
from upheld.types import Passage, content_hash
from upheld_lab.bench.metrics import contains_quote, normalise
from upheld_lab.bench.split import Split
from upheld_lab.bench.suites.draw import Candidate, Draw
from upheld_lab.bench.suites.files import hashes_of, pack_file
from upheld_lab.bench.suites.read_once import ReadOnce
from upheld_lab.bench.suites.suite import Asked, GoldText, Suite
from upheld_lab.bench.vectors import default_cache

FILE = "h_manuals/dev.jsonl"
UNANSWERABLE = "manuals/unanswerable.jsonl"
SET = "manuals"
# Kinds whose short answers are values that a text has or has not; those of the others are
# paraphrases, and only the gold quotes count (the pack's README, "Scoring hints").
_VALUES = frozenset({"fact", "table", "limits", "misspelt", "howto"})
_NEARLY_ALL = 0.8  # of a quote's words
_YES_NO = {"yes": True, "no": False}

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, order=True)
class Manual:
    """A manual as its package installs it: a folder, and which of its files belong to it."""

    package: str
    root: Path
    pattern: str

    def files(self) -> list[Path]:
        """Its files in order of their names; none where the package is not installed."""
        return sorted(path for path in self.root.glob(self.pattern) if path.is_file())

    def contents(self) -> dict[str, tuple[str, bytes]]:
        """Name and bytes of its files by their address."""
        return {
            self.uri(path.relative_to(self.root).as_posix()): (path.name, path.read_bytes())
            for path in self.files()
        }

    def uri(self, file: str) -> str:
        """The address of a file, by its package and not by where it lies on this machine."""
        return f"{self.package}/{file}"


def load_manuals(data: Path, draw: Draw) -> Suite:
    """Questions over the installed manuals; raises NotFoundError where one is not installed."""
    file = pack_file(data, FILE)
    own = (resources.files("upheld_lab.bench.suites") / UNANSWERABLE).read_text(encoding="utf-8")
    rows = [row for row in _rows(file.read_text(encoding="utf-8")) if row["side"] == draw.split]
    manuals = sorted({_manual(row) for row in rows})
    rows += _about({each.package for each in manuals}, _rows(own), draw.split)
    _need_installed(manuals)
    by_uri: dict[str, list[Passage]] = {}
    hashes = hashes_of([file]) | {UNANSWERABLE: content_hash(own)}
    for manual in manuals:
        contents = manual.contents()
        cut = ReadOnce(default_cache())(contents)
        by_uri |= {uri: [as_document(uri, each) for each in some] for uri, some in cut.items()}
        digests = [f"{uri} {content_hash(content)}" for uri, (_, content) in contents.items()]
        hashes[manual.package] = content_hash("\n".join(digests))
    candidates = [_candidate(row, by_uri) for row in rows]
    passages = {each.id: each for some in by_uri.values() for each in some}
    whole = replace(draw, passages=None)
    return whole.suite(SET, [whole.order(candidates)], passages, hashes)


def _manual(row: Row) -> Manual:
    return Manual(row["package"], Path(row["root"]), row["corpus"])


def _rows(text: str) -> Iterator[dict[str, Any]]:
    return map(json.loads, text.splitlines())


def _about(packages: Collection[str], own: Iterable[Row], side: Split) -> list[dict[str, Any]]:
    """Our own questions about the manuals of these packages, as records of the pack."""
    return [
        {**row, "kind": "unanswerable", "answerable": False}
        for row in own
        if row["side"] == side and row["package"] in packages
    ]


def _need_installed(manuals: Iterable[Manual]) -> None:
    """Refuse before anything is read, and name all packages at once."""
    missing = [manual.package for manual in manuals if not manual.files()]
    if missing:
        names = " ".join(missing)
        raise NotFoundError(
            f"The suite {SET} reads manuals that are not installed here: {', '.join(missing)}.",
            help=f"Install them: apt-get install --no-install-recommends {names}",
        )


def as_document(uri: str, passage: Passage) -> Passage:
    """The passage as a document of its own, as in every suite."""
    id = f"{SET}/{content_hash(f'{uri} {passage.text}')[:16]}"
    return replace(
        passage,
        id=id,
        document_id=id,
        document_version=content_hash(passage.text),
        start=0,
        end=len(passage.text),
        places=(),
    )


def _candidate(row: Row, by_uri: Mapping[str, Sequence[Passage]]) -> Candidate:
    id, text = f"{SET}/{row['id']}", row["question"].strip()
    if not row["answerable"]:
        unanswerable = Asked(id, SET, text, answerable=False)
        return Candidate(unanswerable, frozenset(), Split(row["side"]))
    manual = _manual(row)
    places = (*row["gold"], *row.get("also", ()))
    gold = frozenset(
        each.id
        for place in places
        for each in _holding(place["quote"], by_uri.get(manual.uri(place["file"]), ()))
    )
    asked = Asked(id, SET, text, gold=gold, answerable=True, gold_text=_gold_text(row))
    return Candidate(asked, gold, Split(row["side"]))


def _holding(quote: str, passages: Iterable[Passage]) -> list[Passage]:
    """The passages with all of a quote, or with its longest sentence where it was cut in two.

    Readers put the names of columns into the rows of a table, and order lists in their own way:
    there it is the passage with the most words of the quote, if it has nearly all of them.
    """
    passages = list(passages)
    for words in (quote, max(sentences(quote), key=len, default=quote)):
        if found := [each for each in passages if contains_quote(each.text, words)]:
            return found
    shares = [(_share_of_words(quote, each), each) for each in passages]
    best, passage = max(shares, key=lambda pair: pair[0], default=(0.0, None))
    return [passage] if passage is not None and best >= _NEARLY_ALL else []


def _share_of_words(quote: str, passage: Passage) -> float:
    words = set(normalise(quote).split())
    return len(words & set(normalise(passage.searchable).split())) / len(words) if words else 0.0


def _gold_text(row: Row) -> GoldText:
    """What a right answer contains, as the pack's README defines it."""
    short, kind = tuple(row["short_answers"]), row["kind"]
    values = short if kind in _VALUES and not row.get("needs_quote") else ()
    quotes = [each["quote"] for each in row["gold"]]
    if row.get("all_gold"):  # two places; which of them `also` repeats is not noted
        wanted = tuple((quote,) for quote in quotes)
    else:
        wanted = ((*quotes, *(each["quote"] for each in row.get("also", ()))),)
    yes = _YES_NO.get(short[0].casefold()) if kind == "yesno" else None
    return GoldText(values, wanted, yes, row["reference"])
