"""Detect conflicts: another document gives another value for the same thing.

A sentence is supported by the very document that errs, and the verifier cannot say that
another document denies it. So a claim is compared with the sentences of other documents: those
that differ from it in one value only conflict with it (`verification/different_values.py`).

With a grader, answers in other words are compared too, which finds more and is often wrong: two
documents disagree if both sentences are relevant to the question and half or more of the names and
figures of each are not in the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from upheld.answer.verdicts import is_supported
from upheld.errors import BudgetExceededError, EngineError, ModelError
from upheld.generation.candidates import Candidate, quoted, sentences_of
from upheld.ports import Grader, QueryPassagePair, Searcher
from upheld.run.calls import grade
from upheld.run.trace import current_run, span
from upheld.text import figures, names
from upheld.types import Claim, Conflict, Draft, Passage
from upheld.verification.different_values import different_values
from upheld.verification.relevance import titled


@dataclass(frozen=True, kw_only=True)
class ConflictDetector:
    """Compares claims with sentences of other documents; asks no LLM."""

    search: Searcher  # deeper than the writer reads: what disagrees seldom stands first
    grader: Grader | None  # None: only sentences that differ in one value
    relevant_above: float = 0.65  # fitted on dev questions: docs/decisions/013-rivals.md
    passages: int = 3  # looked into for every claim, by the grader

    async def __call__(self, draft: Draft) -> Draft:
        """The draft with a conflict for every claim that another document disagrees with."""
        known = {each.claim for each in draft.conflicts}
        claims = [
            each
            for each in draft.claims
            if is_supported(each) and each.citations and each.text not in known
        ]
        if not claims:
            return draft
        try:
            passages = (await self.search(draft.question)).passages
            found = _in_one_value(claims, passages, draft)
            left = [claim for claim in claims if claim not in found]
            if self.grader is not None and left:
                found |= await self._conflicts(left, passages, draft, self.grader)
        except BudgetExceededError:
            return draft  # the run says so itself
        except (ModelError, EngineError) as error:
            current_run().degrade("conflicts between documents were not detected", error)
            return draft
        with span("conflicts", note=f"{len(found)} of {len(claims)} claims are disputed"):
            told = [found[claim] for claim in claims if claim in found]
            return replace(draft, conflicts=(*draft.conflicts, *_once(told)))

    async def _conflicts(
        self, claims: Sequence[Claim], passages: Sequence[Passage], draft: Draft, grader: Grader
    ) -> dict[Claim, Conflict]:
        question = draft.question
        own = [QueryPassagePair(question.text, text) for text in titled(claims, draft.evidence)]
        relevances = await grade(grader, "conflicts", own)
        answering = [
            claim
            for claim, relevance in zip(claims, relevances, strict=True)
            if relevance >= self.relevant_above and new_entities(claim.text, question.text)
        ]
        every = [(claim, each) for claim in answering for each in self._of(claim, passages, draft)]
        pairs = [
            QueryPassagePair(question.text, sentence.alone.searchable) for _, sentence in every
        ]
        relevances = await grade(grader, "conflicts", pairs) if pairs else []
        best: dict[Claim, tuple[float, Candidate]] = {}
        for (claim, sentence), relevance in zip(every, relevances, strict=True):
            if relevance >= max(self.relevant_above, best.get(claim, (0.0,))[0]):
                best[claim] = (relevance, sentence)
        return {claim: _conflict(claim, sentence) for claim, (_, sentence) in best.items()}

    def _of(self, claim: Claim, passages: Sequence[Passage], draft: Draft) -> list[Candidate]:
        """Sentences of other documents that may disagree with the claim."""
        asked = draft.question.text
        others = _of_other_documents(claim, passages, draft)
        sentences = sentences_of(others[: self.passages])
        return [each for each in sentences if disagrees(each.text, claim.text, asked)]


def _in_one_value(
    claims: Sequence[Claim], passages: Sequence[Passage], draft: Draft
) -> dict[Claim, Conflict]:
    """Conflicts of claims with sentences that differ from them in one value."""
    found: dict[Claim, Conflict] = {}
    for claim in claims:
        others = sentences_of(_of_other_documents(claim, passages, draft))
        for sentence in others:
            if different_values(claim.text, sentence.text):
                found[claim] = _conflict(claim, sentence)
                break
    return found


def _of_other_documents(claim: Claim, passages: Sequence[Passage], draft: Draft) -> list[Passage]:
    """Passages of documents that the claim does not cite, and that do not say the same as well."""
    own = {each.document_id for each in claim.citations}
    # Parts of one article may have been indexed as documents of their own.
    titles = {each.title for each in draft.evidence.passages if each.document_id in own} - {""}
    asked = draft.question.text
    values = new_entities(claim.text, asked)
    return [
        each
        for each in passages
        if each.document_id not in own
        and each.title not in titles
        and not (values and not disagrees(claim.text, each.searchable, asked))
    ]


def _once(conflicts: Sequence[Conflict]) -> Iterable[Conflict]:
    """Each pair of sentences once: where an answer quotes both, each disagrees with the other."""
    pairs: dict[frozenset[tuple[str, str]], Conflict] = {}
    for each in conflicts:
        sides = ((side.document_id, side.quote) for side in (each.one, each.other))
        pairs.setdefault(frozenset(sides), each)
    return pairs.values()


def _conflict(claim: Claim, sentence: Candidate) -> Conflict:
    return Conflict(claim.text, claim.citations[0], quoted(sentence).citations[0])


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
