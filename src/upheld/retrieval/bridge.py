"""Bridge: a second search, for the passages that a found passage names (multi-hop questions).

"Where was the director of The Circus Cyclone born?" finds the film, whose passage names the
director. The director's own passage shares no word with the question, so a search for the question
does not find it; a search for the question plus the film's passage does.
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
WEIGHTS = (0.718, 0.612)  # logistic fit: weight of the grade's log odds, and intercept
FLOOR = 0.3


@dataclass(frozen=True, kw_only=True)
class Bridge:
    """Finds passages that other passages name: one search for each, then the grader's scores."""

    search: Searcher
    grader: Grader | None
    candidates: int = 12  # hits of each search
    floor: float = FLOOR

    async def __call__(self, question: Question, said: Mapping[Passage, str]) -> Evidence:
        """Return the named passages that probably hold the rest of the answer.

        `said` maps each passage to start from to its most relevant text. Empty without a grader.
        """
        with span("bridge") as step:
            named = await self.named(question, said)
            kept = tuple(hit for hit in named if probability(odds(hit)) >= self.floor)
            step.note = f"{len(kept)} of {len(named)} that were named"
        return Evidence(kept)

    async def named(self, question: Question, said: Mapping[Passage, str]) -> Evidence:
        """Search with each passage's text and return graded passages whose title it mentions."""
        found = await all_of(self._found(question, *each) for each in said.items())
        new = [hit for hit in union(*found) if hit.passage not in said]
        scores = await relevances(
            self.grader,
            "bridge",
            question,
            [hit.passage for hit in new],
            "passages that others name are left out",
        )
        if scores is None:
            return Evidence()
        return Evidence(tuple(hit.graded(score) for hit, score in zip(new, scores, strict=True)))

    async def _found(self, question: Question, passage: Passage, says: str) -> Evidence:
        found = await self.search(Question(f"{question.text} {says}"))
        return Evidence(tuple(hit for hit in found if names(passage, hit.passage)))


def names(one: Passage, other: Passage) -> bool:
    """Whether the text of `one` mentions the title of `other`, and their titles differ."""
    title = bare(other.title)
    if not title or title == bare(one.title):
        return False
    return search(re.compile(rf"\b{re.escape(title)}\b"), one.text.casefold()) is not None


def bare(title: str) -> str:
    """Return a title in lower case, without a disambiguation in brackets at its end."""
    title = title.strip()
    if title.endswith(")"):  # "Fortunella (film)"
        opens = title.find("(", title.rfind(")", 0, -1) + 1)
        title = title if opens < 0 else title[:opens].rstrip()
    return title.casefold()


def odds(hit: Hit) -> float:
    """Return the log odds of the hit's grade for the question; minus infinity if not graded."""
    if hit.relevance is None:
        return -math.inf
    return grade_logit(from_score(hit.relevance))


def probability(odds: float, weights: tuple[float, float] = WEIGHTS) -> float:
    """Return the probability that a passage with these log odds holds the rest of the answer."""
    grade, shift = weights
    return sigmoid(grade * odds + shift)
