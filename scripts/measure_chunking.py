"""Figures of docs/decisions/002-chunking.md: our chunker beside semantic-text-splitter.

pip install semantic-text-splitter
python scripts/measure_chunking.py DATA     (the folder of the data pack)
"""

from __future__ import annotations

import gzip
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from semantic_text_splitter import MarkdownSplitter, TextSplitter
from tokenizers import Tokenizer

from upheld.ingest.chunk import Chunker
from upheld.ingest.read.document import ReadDocument, canonical
from upheld.types import Document
from upheld_models import embedder_tokenizer

ARTICLES, MOST = 12, 192
CLOSING = tuple(".!?\"”')]:")
Split = Callable[[str], Iterable[str]]


def articles(data: Path) -> list[str]:
    """The first SQuAD articles, their paragraphs parted by blank lines."""
    found: dict[str, list[str]] = {}
    with gzip.open(data / "a_corpus" / "passages.jsonl.gz", "rt") as rows:
        for row in map(json.loads, rows):
            if row["source"] == "squad":
                found.setdefault(row["title"], []).append(row["text"])
    return [canonical("\n\n".join(texts)) for texts in list(found.values())[:ARTICLES]]


def measure(name: str, split: Split, texts: list[str], tokenizer: Tokenizer) -> None:
    """One row: speed on first sight and again, sizes, and cuts inside sentences."""
    seconds = []
    for _ in range(2):
        began = time.process_time()
        passages = [passage for text in texts for passage in split(text)]
        seconds.append((time.process_time() - began) / len(passages) * 1000)
    tokens = [len(tokenizer.encode(each, add_special_tokens=False)) for each in passages]
    low = statistics.mean(each[0].islower() for each in passages)
    open_ = statistics.mean(not each.endswith(CLOSING) for each in passages)
    small = statistics.mean(count < 32 for count in tokens)
    print(
        f"| {name} | {seconds[0]:.2f} / {seconds[1]:.2f} | {statistics.median(tokens):.0f} "
        f"| {max(tokens)} | {small:.1%} | {low:.1%} | {open_:.1%} |"
    )


def main() -> None:
    """The table, first in paragraphs, then as one block."""
    tokenizer = Tokenizer.from_file(str(embedder_tokenizer()))
    tokenizer.no_truncation()
    written = tokenizer.to_str()
    paragraphs = articles(Path(sys.argv[1]))
    print("| splitter | ms | median | largest | under 32 | begins low | ends open |")
    for kind, texts in (
        ("paragraphs", paragraphs),
        ("one block", [text.replace("\n\n", " ") for text in paragraphs]),
    ):
        anew = Chunker.with_tokenizer(embedder_tokenizer())  # remembers no words
        chunker = replace(anew, most=MOST)

        def ours(text: str, chunker: Chunker = chunker) -> list[str]:
            cut = chunker(Document("id", "uri", "", text, "hash"), ReadDocument(text))
            return [passage.text for passage in cut]

        measure(f"{kind}, ours", ours, texts, tokenizer)
        for splitter in (TextSplitter, MarkdownSplitter):
            theirs = splitter.from_huggingface_tokenizer_str(written, MOST)
            measure(f"{kind}, {splitter.__name__}", theirs.chunks, texts, tokenizer)


if __name__ == "__main__":
    main()
