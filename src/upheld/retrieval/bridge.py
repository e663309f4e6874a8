"""Bridge: the other half of an answer that stands in two places.

"Where was the director of The Circus Cyclone born?" finds the film, which names its director. His
own passage shares no word with the question, so that no search for the question finds it: a search
for the question and what the film's passage says does.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from upheld._internal.concurrency import all_of
from upheld._internal.probability import from_score, grade_logit, sigmoid
from upheld.ports import Grader, Searcher
from upheld.retrieval.grade import relevances
from upheld.run.trace import span
from upheld.text.patterns import search
from upheld.types import Evidence, Hit, Passage, Question, union

# Fitted on dev questions by `python -m upheld_lab.fits bridges`: docs/decisions/017-bridges.md
WEIGHTS = (0.718, 0.612)  # of the grade's log odds, and the shift
FLOOR = 0.3


@dataclass(frozen=True, kw_only=True)
class Bridge:
    """Asks the index once for every passage that it starts from, and the grader about a few."""

    search: Searcher
    grader: Grader | None
    candidates: int = 12  # that the search must find for every passage
    floor: float = FLOOR

    async def __call__(self, question: Question, said: Mapping[Passage, str]) -> Evidence:
        """What these passages name, if it looks like the other half."""
        with span("bridge") as step:
            named = await self.named(question, said)
            kept = tuple(hit for hit in named if probability(odds(hit)) >= self.floor)
            step.note = f"{len(kept)} of {len(named)} that were named"
        return Evidence(kept)

    async def named(self, question: Question, said: Mapping[Passage, str]) -> Evidence:
        """Passages whose titles stand in these, graded; each is looked for by what it says best."""
        found = await all_of(self._found(question, *each) for each in said.items())
        new = [hit for hit in union(*found) if hit.passage not in said]
        scores = await relevances(
            self.grader,
            "bridge",
            question,
            [hit.passage for hit in new],
            "what passages name is not looked up",
        )
        if scores is None:
            return Evidence()
        return Evidence(tuple(hit.graded(score) for hit, score in zip(new, scores, strict=True)))

    async def _found(self, question: Question, passage: Passage, says: str) -> Evidence:
        found = await self.search(Question(f"{question.text} {says}"))
        return Evidence(tuple(hit for hit in found if names(passage, hit.passage)))


def names(one: Passage, other: Passage) -> bool:
    """Whether the one's text has the other's title in it, and that is not its own."""
    title = bare(other.title)
    if not title or title == bare(one.title):
        return False
    return search(re.compile(rf"\b{re.escape(title)}\b"), one.text.casefold()) is not None


def bare(title: str) -> str:
    """A title without what only tells it from others."""
    title = title.strip()
    if title.endswith(")"):  # "Fortunella (film)"
        opens = title.find("(", title.rfind(")", 0, -1) + 1)
        title = title if opens < 0 else title[:opens].rstrip()
    return title.casefold()


def odds(hit: Hit) -> float:
    """What the grader thinks of it, as an answer to the question itself."""
    if hit.relevance is None:  # what nobody graded is no other half
        return -math.inf
    return grade_logit(from_score(hit.relevance))


def probability(odds: float, weights: tuple[float, float] = WEIGHTS) -> float:
    """That it holds the other half."""
    grade, shift = weights
    return sigmoid(grade * odds + shift)
