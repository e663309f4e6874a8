"""Does the quote writer quote the answer? Measured against the top passage's first sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from upheld.generation.extract import ExtractiveWriter
from upheld.ports import Embedder, Index
from upheld.text.sentences import sentences
from upheld.types import Evidence, Question, Scope
from upheld_lab.bench.corpus import BenchQuestion
from upheld_lab.bench.metrics import answer_in, share
from upheld_lab.bench.report import Row, Watch

if TYPE_CHECKING:
    from upheld.ports import Vectors

PASSAGES = 5  # what a writer is given by default
MAX_SENTENCES = 2


@dataclass(frozen=True, slots=True)
class Quotes:
    """How often the answer was quoted, and how often nothing was."""

    questions: int
    answer_in: float
    first_sentence: float
    abstained: float

    @property
    def gain(self) -> float:
        return self.answer_in - self.first_sentence

    def rows(self) -> list[Row]:
        of = {"set": "squad11", "n": self.questions}
        return [
            of
            | {
                "mode": f"quote writer, {MAX_SENTENCES} sentences at most",
                "answer_in": self.answer_in,
                "abstained": self.abstained,
            },
            of
            | {
                "mode": "first sentence of the top passage",
                "answer_in": self.first_sentence,
                "abstained": 0.0,
            },
        ]


async def bench_quotes(
    asked: Sequence[BenchQuestion],
    vectors: Vectors,
    index: Index,
    scope: Scope,
    embedder: Embedder,
    watch: Watch,
) -> Quotes:
    """The share of questions whose gold answer stands in at most two quoted sentences."""
    write = ExtractiveWriter(embedder=embedder, max_sentences=MAX_SENTENCES, max_passages=PASSAGES)
    quoted, first, abstained = [], [], []
    for done, (question, vector) in enumerate(zip(asked, vectors, strict=True), start=1):
        hits = await index.hybrid(question.text, vector, scope, PASSAGES)
        draft = await write(Question(question.text), Evidence(tuple(hits)))
        quoted.append(any(answer_in(claim.text, question.answers) for claim in draft.claims))
        abstained.append(not draft.claims)
        opening = next(iter(sentences(hits[0].passage.text)), "") if hits else ""
        first.append(answer_in(opening, question.answers))
        watch("quoting", done, len(asked))
    return Quotes(len(asked), share(quoted), share(first), share(abstained))
