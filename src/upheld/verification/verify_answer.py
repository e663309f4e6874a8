"""Verify any answer against any sources: sentences become claims, marks become citations."""

from __future__ import annotations

from collections.abc import Sequence

from upheld._internal.concurrency import within
from upheld.run.trace import current_run
from upheld.text.marks import unknown_marks
from upheld.types import (
    Cause,
    Citation,
    Claim,
    Passage,
    Question,
    Support,
    Verdict,
    content_hash,
)
from upheld.verification.checkworthy import is_reference, titles_of
from upheld.verification.claims import Sentence, split_answer
from upheld.verification.llm_judge import JudgeUncertain
from upheld.verification.source import CheckFailure
from upheld.verification.text_work import LONG, split_apart
from upheld.verification.verify import Progress, Verify

_REFERENCE = Verdict(
    Support.NOT_CHECKWORTHY,
    reason="not a statement to check: an entry of the list of sources",
    cause=Cause.REFERENCE,
)


async def verify_answer(
    verify: Verify,
    answer: str,
    sources: Sequence[str | Passage],
    question: str | None = None,
    judge: JudgeUncertain | None = None,
    progress: Progress | None = None,
) -> tuple[Claim, ...]:
    """Return the sentences of an answer with verdicts; the mark [n] means the n-th source.

    >>> claims = await verify_answer(Verify(model=None), "It opens at nine. [1]", [text])
    """
    passages = as_passages(sources)
    claims = await _claims(verify, answer, passages)
    if isinstance(claims, CheckFailure):
        current_run().degrade(f"claims were not checked: {claims.reason}")
        return (_not_checked(answer, claims),)
    asked = None if question is None else Question(question)
    checked = await verify(claims, passages, asked, progress=progress)
    if judge is not None:
        checked = await judge(checked, passages)
    return checked


async def _claims(
    verify: Verify, answer: str, passages: Sequence[Passage]
) -> Sequence[Claim] | CheckFailure:
    """Split the answer into claims; a long answer is split in a child process."""
    deadline = verify.deadline([Claim(answer)], ())
    sentences: tuple[Sentence, ...] | CheckFailure
    if len(answer) > LONG:
        sentences = await deadline.before_deadline(
            lambda seconds: within(seconds, split_apart(answer)), late=True
        )
    else:
        sentences = await deadline(lambda: split_answer(answer), late=True)
    if isinstance(sentences, CheckFailure):
        return sentences
    titles = titles_of(passages)
    return await deadline(lambda: [_claim(each, passages, titles) for each in sentences], late=True)


def _not_checked(answer: str, failure: CheckFailure) -> Claim:
    """Return the answer as one claim that was not checked, because splitting it failed."""
    text = answer.strip()
    start = answer.index(text)
    verdict = Verdict(Support.NOT_CHECKED, reason=failure.reason, cause=failure.cause)
    return Claim(text, (), verdict, start, start + len(text))


def as_passages(sources: Sequence[str | Passage]) -> tuple[Passage, ...]:
    """Return each source as one passage; a plain text is named `source-1` and so on."""
    return tuple(
        source if isinstance(source, Passage) else _passage(source, number)
        for number, source in enumerate(sources, start=1)
    )


def _passage(text: str, number: int) -> Passage:
    name = f"source-{number}"
    return Passage(name, text, name, content_hash(text), 0, len(text))


def _claim(sentence: Sentence, passages: Sequence[Passage], titles: frozenset[str]) -> Claim:
    known = [number for number in sentence.marks if 1 <= number <= len(passages)]
    entry = sentence.entry
    if entry and (is_reference(entry, titles) or is_reference(sentence.text, titles)):
        verdict = _REFERENCE
    else:
        verdict = unknown_marks(set(sentence.marks) - set(known)) or Verdict()
    return Claim(
        sentence.text,
        tuple(_citation(passages[number - 1]) for number in known),
        verdict,
        sentence.start,
        sentence.end,
    )


def _citation(passage: Passage) -> Citation:
    """Cite the passage without any words yet: the check finds them."""
    return passage.cite(0, 0)
