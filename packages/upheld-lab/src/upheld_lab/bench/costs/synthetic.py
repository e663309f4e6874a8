"""Text that is made, not found: seeded, so that the speed bench runs anywhere and always alike."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass, field
from pathlib import Path

from upheld.types import Passage, content_hash

_ONSETS = [*"bcdfghlmnprstvw", "br", "cl", "dr", "gr", "pl", "st", "tr"]
_VOWELS = [*"aeiou", "ai", "ea", "ou"]
_ENDS = ["", "", "n", "r", "s", "t", "l", "nd", "st"]
VOCABULARY = 8_000


@dataclass(slots=True)
class Writer:
    """Writes sentences of made-up words whose frequencies fall as they do in real text."""

    seed: int = 0
    dice: random.Random = field(init=False)
    words: list[str] = field(init=False)
    steps: list[float] = field(init=False)  # cumulative frequencies

    def __post_init__(self) -> None:
        self.dice = random.Random(self.seed)  # noqa: S311  # reproducible on purpose
        words: dict[str, None] = {}
        while len(words) < VOCABULARY:
            words[self._word()] = None
        self.words = list(words)
        zipf = (1 / (rank + 10) for rank in range(VOCABULARY))  # with a flat head
        self.steps = list(itertools.accumulate(zipf))

    def sentence(self) -> str:
        return self._some(8, 24).capitalize() + "."

    def paragraph(self, sentences: int) -> str:
        return " ".join(self.sentence() for _ in range(sentences))

    def query(self) -> str:
        return self._some(5, 12)

    def passages(self, count: int) -> list[Passage]:
        """Passages of about 100 words, each a document of its own."""
        made = []
        for number in range(count):
            text = self.paragraph(6)
            id = f"made-{number}"
            title = self.query()
            made.append(Passage(id, text, id, content_hash(text), 0, len(text), title=title))
        return made

    def files(self, folder: Path, count: int, sentences: int) -> None:
        """Text files of a few paragraphs."""
        folder.mkdir(parents=True)
        for number in range(count):
            paragraphs = [self.paragraph(min(6, sentences)) for _ in range(max(1, sentences // 6))]
            (folder / f"{number:05}.txt").write_text("\n\n".join(paragraphs))

    def _some(self, least: int, most: int) -> str:
        count = self.dice.randint(least, most)
        return " ".join(self.dice.choices(self.words, cum_weights=self.steps, k=count))

    def _word(self) -> str:
        pick = self.dice.choice
        syllables = self.dice.randint(1, 3)
        return "".join(pick(_ONSETS) + pick(_VOWELS) for _ in range(syllables)) + pick(_ENDS)
