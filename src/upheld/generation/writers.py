"""Writers around the LLM writer: the best of several drafts, and a draft after earlier answers.

Departure from the paper, which chooses among whole answers: `BestOf` is a writer, so that any
method can use it, and independent answers to sub-questions are chosen one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from upheld._internal.concurrency import all_of
from upheld.answer.verdicts import is_checkworthy
from upheld.assessment.assess import has_recall
from upheld.generation.fallback import Write, WriteOrQuote
from upheld.generation.write import WriteClaims
from upheld.ports import Sampling
from upheld.prompts import Prompt, load
from upheld.prompts.prompt import as_written, places
from upheld.types import Draft, Evidence, Question
from upheld.verification.verify_draft import Check


@dataclass(frozen=True, kw_only=True)
class BestOf:
    """A writer that samples several drafts, checks them and returns the best.

    The best has the highest citation recall; of equals, the first.
    """

    write: WriteClaims
    check: Check  # verdicts alone: it leaves the marks as they are
    samples: int = 8  # footnote 16
    temperature: float = 1.0  # as for the paper's sessions; it gives none for answers
    top_k: int | None = 50

    async def __call__(self, question: Question, evidence: Evidence) -> Draft:
        sampling = Sampling(
            max_tokens=self.write.max_tokens,
            samples=self.samples,
            temperature=self.temperature,
            top_k=self.top_k,
        )
        drafts = await self.write.sample(question, evidence, sampling)
        return max(await all_of(map(self.check, dict.fromkeys(drafts))), key=citation_recall)


def citation_recall(checked: Draft) -> tuple[float, int]:
    """Return ALCE's citation recall of a checked draft, and its number of supported claims.

    Recall is by the marks that the model set, as in the paper; they are fixed later, as after every
    method. The number breaks ties in favour of the draft that says more.
    """
    good = [has_recall(each) for each in checked.claims if is_checkworthy(each)]
    return (sum(good) / len(good) if good else 0.0, sum(good))


@dataclass(frozen=True, kw_only=True)
class WriteAfter:
    """A writer that shows earlier answers as turns of the conversation, without their passages."""

    write: WriteClaims | None  # None: there is no language model
    quote: Write
    prompt: Prompt = field(default_factory=lambda: load("answered"))

    async def __call__(
        self, question: Question, evidence: Evidence, earlier: Sequence[Draft] = ()
    ) -> Draft:
        if self.write is None:
            return await self.quote(question, evidence)
        turns = (
            self.prompt.render(question=each.question.text, answer=as_written(each, places(each)))
            for each in earlier
        )
        seeing = replace(self.write, before=tuple(chain.from_iterable(turns)))
        return await WriteOrQuote(write=seeing, quote=self.quote)(question, evidence)
