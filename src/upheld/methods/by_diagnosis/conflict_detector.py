"""Detect conflicts: another document answers the same question by other names or figures.

A sentence is supported by the very document that errs, and a two-way verifier cannot say that
another document denies it. So sentences are compared: two documents disagree if both sentences are
relevant and half or more of the names and figures of each are not in the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from upheld.answer.verdicts import is_supported
from upheld.errors import BudgetExceededError, ModelError
from upheld.generation.candidates import Candidate, quoted, sentences_of
from upheld.ports import Grader, QueryPassagePair, Searcher
from upheld.run.calls import grade
from upheld.run.trace import current_run, span
from upheld.text import figures, names
from upheld.types import Claim, Conflict, Draft, Passage
from upheld.verification.relevance import titled


@dataclass(frozen=True, kw_only=True)
class ConflictDetector:
    """Compares claims with sentences of other documents; asks the grader, and no LLM."""

    search: Searcher  # deeper than the writer reads: what disagrees seldom stands first
    grader: Grader | None
    relevant_above: float = 0.65  # fitted on dev questions: docs/decisions/013-rivals.md
    passages: int = 3  # looked into for every claim

    async def __call__(self, draft: Draft) -> Draft:
        """The draft with a conflict for every claim that another document disagrees with."""
        claims = [each for each in draft.claims if is_supported(each) and each.citations]
        if self.grader is None or not claims:
            return draft
        try:
            found = await self._conflicts(claims, draft, self.grader)
        except BudgetExceededError:
            return draft  # the run says so itself
        except ModelError as error:
            current_run().degrade("conflicts between documents were not detected", error)
            return draft
        with span("conflicts", note=f"{len(found)} of {len(claims)} claims are disputed"):
            return replace(draft, conflicts=(*draft.conflicts, *found))

    async def _conflicts(
        self, claims: Sequence[Claim], draft: Draft, grader: Grader
    ) -> list[Conflict]:
        question = draft.question
        own = [QueryPassagePair(question.text, text) for text in titled(claims, draft.evidence)]
        relevances = await grade(grader, "conflicts", own)
        answering = [
            claim
            for claim, relevance in zip(claims, relevances, strict=True)
            if relevance >= self.relevant_above and new_entities(claim.text, question.text)
        ]
        if not answering:
            return []
        passages = (await self.search(question)).passages
        every = [(claim, each) for claim in answering for each in self._of(claim, passages, draft)]
        pairs = [
            QueryPassagePair(question.text, sentence.alone.searchable) for _, sentence in every
        ]
        relevances = await grade(grader, "conflicts", pairs) if pairs else []
        best: dict[Claim, tuple[float, Candidate]] = {}
        for (claim, sentence), relevance in zip(every, relevances, strict=True):
            if relevance >= max(self.relevant_above, best.get(claim, (0.0,))[0]):
                best[claim] = (relevance, sentence)
        return [
            Conflict(claim.text, claim.citations[0], quoted(sentence).citations[0])
            for claim, (_, sentence) in best.items()
        ]

    def _of(self, claim: Claim, passages: Sequence[Passage], draft: Draft) -> list[Candidate]:
        """Sentences of other documents that may disagree with the claim."""
        asked = draft.question.text
        own = {each.document_id for each in claim.citations}
        # Parts of one article may have been indexed as documents of their own.
        titles = {each.title for each in draft.evidence.passages if each.document_id in own} - {""}
        others = (
            each
            for each in passages
            if each.document_id not in own
            and each.title not in titles
            and disagrees(claim.text, each.searchable, asked)
        )
        sentences = sentences_of(list(islice(others, self.passages)))
        return [each for each in sentences if disagrees(each.text, claim.text, asked)]


def new_entities(text: str, *known: str) -> tuple[str, ...]:
    """The figures and names of a text that none of the known texts has."""
    values = frozenset[str]().union(*map(figures.values, known))
    return (*figures.absent(text, values), *names.absent(text, *map(names.given, known)))


def disagrees(one: str, other: str, question: str) -> bool:
    """Whether half or more of the figures and names of one answer are missing in the other.

    Not all: two actors may be called David, and both documents name the film.
    """
    answer = new_entities(one, question)
    return bool(answer) and 2 * len(new_entities(one, question, other)) >= len(answer)
