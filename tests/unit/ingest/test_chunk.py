from __future__ import annotations

import statistics
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from upheld.ingest.chunk import WINDOW, Chunker
from upheld.ingest.read import Heading, ReadDocument
from upheld.ingest.read.markdown import from_markdown
from upheld.text.sentences import sentences
from upheld.types import Document, Passage
from upheld_models import embedder_tokenizer

LABELS = frozenset({"a"})
WORDS = (
    "the engine of a ship that left harbour under heavy rain was built by two brothers whose "
    "workshop stood near the river where timber came down from hills each spring and iron was "
    "brought on barges from distant mines while clerks wrote down every load in ledgers"
)


@cache
def chunker() -> Chunker:
    return Chunker.with_tokenizer(embedder_tokenizer())


@cache
def tokenizer() -> Tokenizer:
    tokenizer: Tokenizer = Tokenizer.from_file(str(embedder_tokenizer()))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def tokens(text: str) -> int:
    return len(tokenizer().encode(text, add_special_tokens=False))


def chunk(read: ReadDocument, cut: Chunker | None = None, title: str = "A title") -> list[Passage]:
    document = Document("id", "file:///a", title, read.text, "hash", labels=LABELS)
    passages = list((cut or chunker())(document, read))
    for passage in passages:
        assert read.text[passage.start : passage.end] == passage.text
    assert all(one.end <= other.start for one, other in pairwise(passages))
    kept = "".join(passage.text for passage in passages)
    assert "".join(kept.split()) == "".join(read.text.split())
    return passages


def prose(paragraphs: int, seed: int = 0) -> str:
    """Paragraphs of four to nine sentences of eight to twenty-four words."""
    words = WORDS.split()
    text = []
    for p in range(paragraphs):
        lines = []
        for s in range(4 + (seed + p * 7) % 6):
            length = 8 + (seed + p * 5 + s * 11) % 17
            at = (p * 13 + s * 29) % len(words)
            line = " ".join((words * 3)[at : at + length])
            lines.append(line[0].upper() + line[1:] + ".")
        text.append(" ".join(lines))
    return "\n\n".join(text)


def test_ordinary_prose_is_cut_to_the_promised_size() -> None:
    sizes = [tokens(p.text) for p in chunk(ReadDocument(prose(80)))]
    assert 90 <= statistics.median(sizes) <= 128
    assert max(sizes) <= chunker().most


def test_one_long_paragraph_is_cut_to_the_promised_size_too() -> None:
    text = prose(80).replace("\n\n", " ")
    passages = chunk(ReadDocument(text))
    assert 90 <= statistics.median(tokens(p.text) for p in passages) <= 128
    whole = set(sentences(text))
    assert all(set(sentences(passage.text)) <= whole for passage in passages)


def test_a_paragraph_that_fits_is_not_cut() -> None:
    paragraphs = [prose(1, seed) for seed in range(40)]
    passages = chunk(ReadDocument("\n\n".join(paragraphs)), replace(chunker(), most=192))
    cut = [p for p in paragraphs if not any(p in passage.text for passage in passages)]
    assert len(cut) <= len(paragraphs) // 4


def test_a_paragraph_that_fills_most_of_a_passage_is_never_cut() -> None:
    room, enough = chunker().most, chunker().full_enough
    some = (prose(1, seed) for seed in range(80))
    paragraphs = [text for text in some if room * enough <= tokens(text) <= room]
    assert len(paragraphs) >= 10
    passages = chunk(ReadDocument("\n\n".join(paragraphs)))
    assert [passage.text for passage in passages] == paragraphs


def test_a_passage_knows_what_it_came_from() -> None:
    (passage,) = chunk(ReadDocument("  Hello there.  "))
    assert (passage.start, passage.end, passage.text) == (2, 14, "Hello there.")
    assert (passage.title, passage.uri, passage.labels) == ("A title", "file:///a", LABELS)
    assert passage.page is None
    assert passage.heading_path == ()


def test_heading_paths_follow_the_levels() -> None:
    source = "\n\n".join(
        f"{'#' * level} {name}\n\n{prose(2, seed)}"
        for seed, (level, name) in enumerate(
            [(1, "Story"), (2, "Ships"), (3, "Engines"), (2, "Rivers"), (1, "Notes")]
        )
    )
    read = from_markdown(source)
    passages = chunk(read, title=read.title)
    path_of = {}
    for name in ("Ships", "Engines", "Rivers", "Notes"):
        at = read.text.index(f"# {name}")
        path_of[name] = next(p.heading_path for p in passages if p.start >= at - 3)
    assert path_of == {
        "Ships": ("Ships",),  # the heading that is the title is not said twice
        "Engines": ("Ships", "Engines"),
        "Rivers": ("Rivers",),
        "Notes": ("Notes",),
    }


def test_short_sections_share_a_passage() -> None:
    read = from_markdown("\n\n".join(f"## Point {n}\n\nA few words." for n in range(6)))
    passages = chunk(read)
    assert len(passages) == 1
    assert passages[0].heading_path == ("Point 0",)


def test_pages_are_those_on_which_passages_begin() -> None:
    pages = [prose(3, seed) for seed in range(5)]
    starts, text = [], ""
    for page in pages:
        starts.append(len(text))
        text += page + "\n\n"
    read = ReadDocument(text, pages=tuple(starts))
    passages = chunk(read)
    assert {p.page for p in passages} == {1, 2, 3, 4, 5}
    for passage in passages:
        assert passage.page is not None
        assert passage.text[:40] in pages[passage.page - 1]


@pytest.mark.parametrize(
    "text",
    [
        "x" * 20_000,
        "a-b" * 5_000,
        "한국어" * 3_000,
        "漢字" * 3_000,
        "word " * 5_000,
        "{" + '"key":[1,2,3],' * 2_000 + "}",
        "| " + "cell | " * 3_000,
        "😀👍🏽" * 2_000,
        "e" + "\u0301" * 5_000,
        "AbCd0123+/" * 2_000,
        "line without an end\n" * 2_000,
    ],
    ids=lambda text: text[:8],
)
def test_text_without_sentences_is_still_cut(text: str) -> None:
    for cut in (chunker(), Chunker()):
        passages = chunk(ReadDocument(text), cut)
        assert len(passages) > 1
        assert all(len(passage.text) <= 10 * cut.most for passage in passages)
    assert all(tokens(passage.text) <= WINDOW - 2 for passage in chunk(ReadDocument(text)))


@pytest.mark.parametrize("words", [1, 20, 60, 120])
def test_title_and_headings_leave_room_in_the_window(words: int) -> None:
    title = " ".join(["word"] * words)
    headings = tuple(Heading(0, level, f"{title} {level}") for level in range(1, 5))
    passages = chunk(ReadDocument(prose(20), headings=headings), title=title)
    assert all(len(tokenizer().encode(p.searchable)) <= WINDOW for p in passages)
    assert statistics.median(tokens(p.text) for p in passages) >= chunker().least * 0.6


def test_without_a_tokenizer_characters_are_counted() -> None:
    sizes = [tokens(p.text) for p in chunk(ReadDocument(prose(80)), Chunker())]
    assert 70 <= statistics.median(sizes) <= 128
    assert max(sizes) <= WINDOW


def test_the_version_names_the_tokenizer(tmp_path: Path) -> None:
    other = tmp_path / "tokenizer.json"
    other.write_text(embedder_tokenizer().read_text() + "\n")
    versions = {Chunker().version, chunker().version, Chunker.with_tokenizer(other).version}
    assert len(versions) == 3


def test_cutting_is_the_same_every_time() -> None:
    read = from_markdown(f"# Title\n\n{prose(30)}")
    assert chunk(read) == chunk(read, Chunker.with_tokenizer(embedder_tokenizer()))


def test_a_citation_has_the_heading_and_page_of_its_sentence() -> None:
    """Short sections share a passage; what is quoted from the last is not from the first."""
    source = "# Guide\n\n## Start\n\nPress go.\n\n## Stop\n\nPull the plug.\n\n### Never\n\nHit it."
    read = from_markdown(source)
    (passage,) = chunk(read, title=read.title)
    assert passage.heading_path == ()
    quoted = {
        quote: passage.cite(passage.text.index(quote), passage.text.index(quote) + len(quote))
        for quote in ("Press go.", "Pull the plug.", "Hit it.")
    }
    assert {quote: cited.heading_path for quote, cited in quoted.items()} == {
        "Press go.": ("Start",),
        "Pull the plug.": ("Stop",),
        "Hit it.": ("Stop", "Never"),
    }
    for quote, cited in quoted.items():
        assert cited.quote == quote == source[cited.start : cited.end]


def test_places_are_those_that_begin_inside_a_passage() -> None:
    text = "\n\n".join(f"## H{n}\n\n{prose(1, n)}" for n in range(12))
    pages = tuple(text.index(f"## H{n}") for n in range(0, 12, 2))
    read = replace(from_markdown(text), pages=pages)
    passages = chunk(read)
    for passage in passages:
        assert all(passage.start < place.start < passage.end for place in passage.places)
        for at in range(passage.start, passage.end, 7):
            heading = text.rindex("## H", 0, at + 4)
            place = passage.place_at(at)
            assert place.heading_path == (text[heading + 3 :].split("\n")[0],)
            assert place.page == sum(page <= at for page in pages)


def test_what_announces_code_or_a_list_is_not_parted_from_it() -> None:
    filler = " ".join([WORDS] * 3)
    text = f"{filler}\n\nTo return, issue the following command:\n\ngit bisect reset now\n\n{WORDS}"
    first, second, *_ = chunk(ReadDocument(text), replace(chunker(), most=tokens(filler) + 12))
    assert first.text == filler
    assert second.text.startswith("To return, issue the following command:\n\ngit bisect reset")


def test_the_definition_of_a_term_begins_a_passage() -> None:
    short = "- --quiet: Say nothing."
    options = [f"- --option-{n}: {prose(1, n)[:300]}" for n in range(6)]
    passages = chunk(ReadDocument("\n".join([short, *options])))
    assert passages[0].text.startswith(f"{short}\n- --option-0: ")  # too short for one of its own
    assert [p.text[:12] for p in passages[1:]] == [f"- --option-{n}" for n in range(1, 6)]


def test_items_that_define_nothing_share_a_passage() -> None:
    items = [f"- The {word} of a ship and of its two boats." for word in WORDS.split()[:8]]
    assert len(chunk(ReadDocument("\n".join(items)))) == 1
