"""Any answer against any sources: its sentences become claims, its marks their citations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from upheld.stages.checks.claims import Sentence, split_answer
from upheld.stages.judge import JudgeUncertain
from upheld.stages.verify import Progress, Verify
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

_REFERENCE = Verdict(
    Support.NOT_CHECKWORTHY,
    reason="not a statement to check: an entry of the list of sources",
    cause=Cause.REFERENCE,
)


NO_SUCH_SOURCE = "and there is no such source"


async def verify_answer(
    verify: Verify,
    answer: str,
    sources: Sequence[str | Passage],
    question: str | None = None,
    judge: JudgeUncertain | None = None,
    progress: Progress | None = None,
) -> tuple[Claim, ...]:
    """The sentences of an answer with verdicts; the mark [n] means the n-th source.

    >>> claims = await verify_answer(Verify(model=None), "It opens at nine. [1]", [text])
    """
    passages = as_passages(sources)
    sentences = split_answer(answer)
    claims = [_claim(sentence, passages) for sentence in sentences]
    asked = None if question is None else Question(question)
    checked = await verify(claims, passages, asked, progress=progress)
    if judge is not None:
        checked = await judge(checked, passages)
    return tuple(
        _noting_unknown_marks(claim, sentence, len(passages))
        for claim, sentence in zip(checked, sentences, strict=True)
    )


def as_passages(sources: Sequence[str | Passage]) -> tuple[Passage, ...]:
    """Each source as one passage, named by its number where it has no name."""
    return tuple(
        source if isinstance(source, Passage) else _passage(source, number)
        for number, source in enumerate(sources, start=1)
    )


def _passage(text: str, number: int) -> Passage:
    name = f"source-{number}"
    return Passage(name, text, name, content_hash(text), 0, len(text))


def _claim(sentence: Sentence, passages: Sequence[Passage]) -> Claim:
    cited = [passages[number - 1] for number in sentence.marks if 1 <= number <= len(passages)]
    return Claim(
        sentence.text,
        tuple(_citation(passage) for passage in cited),
        _REFERENCE if sentence.reference else Verdict(),
        sentence.start,
        sentence.end,
    )


def _citation(passage: Passage) -> Citation:
    """A mark names a source, not yet words in it: those are what the check finds."""
    return passage.cite(0, 0)


def _noting_unknown_marks(claim: Claim, sentence: Sentence, sources: int) -> Claim:
    unknown = [number for number in sentence.marks if not 1 <= number <= sources]
    if not unknown:
        return claim
    named = ", ".join(f"[{number}]" for number in unknown)
    reason = f"{claim.verdict.reason}; it cites {named}, {NO_SUCH_SOURCE}"
    return replace(claim, verdict=replace(claim.verdict, reason=reason))
