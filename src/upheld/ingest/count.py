"""Count the tokens of a text word by word, with a cache of common words.

The cache outlives the documents that were counted, so it holds only words of the tokenizer's own
vocabulary, alone or with one punctuation mark, and no name, number or address of a document.

To tokenise a text takes a tenth of the time to embed it; this takes a fiftieth of that once the
words are cached: docs/decisions/002-chunking.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from upheld.errors import MissingExtraError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Counter = Callable[[str], int]

_MOST_WORDS = 200_000  # in the cache; about 20 MB
_LONGEST_KNOWN = 32  # characters
_LONG_WORD = 2_000  # characters
_PART = re.compile(r"[!-/:-@\[-`{-~]|[^!-/:-@\[-`{-~]+")  # ASCII punctuation is separate


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """Counts with the embedder's own tokenizer.

    Exact for tokenizers that first split at white space and punctuation, as BERT's do.
    """

    tokenizer: Tokenizer
    pieces: Callable[[str], int]
    known: dict[str, int] = field(default_factory=dict)
    rare: dict[str, int] | None = None  # other words, cached while one document is cut

    @classmethod
    def from_file(cls, path: Path) -> TokenCounter:
        try:
            from tokenizers import Tokenizer
        except ImportError as missing:
            raise MissingExtraError("Counting tokens", "local") from missing
        tokenizer = Tokenizer.from_file(str(path))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return cls(tokenizer, _piece_counter(tokenizer))

    def for_one_document(self) -> TokenCounter:
        """Return a counter that caches all words and is dropped with the document."""
        return replace(self, rare={})

    def __call__(self, text: str) -> int:
        words = text.split()
        try:
            return sum(map(self.known.__getitem__, words))
        except KeyError:
            return sum(map(self._count, words))

    def _count(self, word: str) -> int:
        count = self.known.get(word)
        if count is None and self.rare is not None:
            count = self.rare.get(word)
        if count is None:
            if len(word) > _LONG_WORD:
                return self._count_long(word)
            parts = _PART.findall(word)
            count = sum(map(self._count, parts)) if len(parts) > 1 else self.pieces(word)
            if _is_common(word, parts, count):
                if len(self.known) > _MOST_WORDS:
                    self.known.clear()
                self.known[word] = count
            elif self.rare is not None:
                self.rare[word] = count
        return count

    def _count_long(self, word: str) -> int:
        """Count a very long word in parts, uncached: a table row may be one word of a megabyte.

        A single call for all of it would hold the interpreter lock until it ends.
        """
        cuts = range(0, len(word), _LONG_WORD)
        return sum(self._count(word[start : start + _LONG_WORD]) for start in cuts)


def _is_common(word: str, parts: list[str], count: int) -> bool:
    """Return whether a word is one token of the vocabulary, with at most one punctuation mark."""
    if len(word) > _LONGEST_KNOWN or count != len(parts):
        return False
    letters = [part for part in parts if part.isalnum()]
    return len(parts) <= 2 and len(letters) <= 1 and not any(map(str.isdigit, word))


@dataclass(frozen=True, slots=True)
class CharacterCounter:
    """Estimates without a tokenizer: four ASCII characters per token, or one other character."""

    def __call__(self, text: str) -> int:
        ascii = len(text.encode("ascii", "ignore"))
        return -(-ascii // 4) + len(text) - ascii


def _piece_counter(tokenizer: Tokenizer) -> Callable[[str], int]:
    from tokenizers.models import WordPiece

    def by_tokenizer(part: str) -> int:
        return len(tokenizer.encode(part, add_special_tokens=False))

    model = tokenizer.model
    if not isinstance(model, WordPiece):
        return by_tokenizer
    normalizer = tokenizer.normalizer
    lower = normalizer is not None and normalizer.normalize_str("A") == "a"

    def by_model(part: str) -> int:
        # A plain word needs only the model; the tokenizer's other steps take four times as long.
        if not part.isascii():
            return by_tokenizer(part)
        return len(model.tokenize(part.lower() if lower else part))

    return by_model
