"""The extractive answerer: quotes, and with a bridge also a quote of a passage that these name.

"Where was the director of this film born?" is answered by two passages: that of the film names the
director, whose own passage has the place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from upheld.generation.candidates import Candidate
from upheld.generation.extract import ExtractiveWriter, drafted
from upheld.retrieval.bridge import Bridge
from upheld.run.trace import span
from upheld.types import Draft, Evidence, Passage, Question

BRIDGED = 2  # sentences of passages that others name


@dataclass(frozen=True, kw_only=True)
class ExtractiveAnswerer:
    """A writer without a language model: quotes, and what they name."""

    quote: ExtractiveWriter
    bridge: Bridge | None = None

    async def __call__(self, question: Question, evidence: Evidence) -> Draft:
        with span("write", note="quote"):
            quotes = await self.quote.quotes(question, evidence)
            if self.bridge is not None and quotes.sentences:
                named = await self.bridge(question, best_words(quotes.sentences))
                writer = replace(self.quote, max_sentences=BRIDGED)
                more = (await writer.quotes(question, named)).sentences
                first = quotes.sentences[: self.quote.max_sentences - len(more)]
                quotes = replace(quotes, sentences=(*first, *more))
                known = evidence.passages
                evidence = Evidence((*evidence, *(h for h in named if h.passage not in known)))
            return drafted(question, evidence, quotes)


def best_words(quoted: Sequence[Candidate]) -> dict[Passage, str]:
    """Return the passage of the first sentence, and its best sentence with title and headings."""
    first = quoted[0].passage
    best = max((each for each in quoted if each.passage == first), key=lambda each: each.score)
    return {first: best.alone.searchable}
