"""Checking stands alone: any answer, any sources, no index; composed here for library and CLI."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from upheld.budget import Budget
from upheld.errors import UpheldError, UsageError
from upheld.stages.verify import Verify
from upheld.stages.verify_answer import as_passages, verify_answer
from upheld.trace import start_run
from upheld.types import Claim, Passage, Support, Usage, content_hash, passage_id

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from upheld.ports import Entailment
    from upheld.settings import Settings


@dataclass(frozen=True, slots=True)
class CheckedSource:
    """What the mark [n] stands for; the text itself is the caller's."""

    id: str
    title: str
    uri: str
    version: str


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """An answer with a verdict on every sentence: what `--json` prints."""

    text: str
    supported: bool  # every sentence that is worth a check is
    claims: tuple[Claim, ...]
    sources: tuple[CheckedSource, ...]
    degraded: tuple[str, ...] = ()
    usage: Usage = Usage()


async def check(
    verify: Verify,
    answer: str,
    sources: Sequence[str | Passage],
    *,
    question: str | None = None,
    budget: Budget | None = None,
) -> CheckedAnswer:
    """Check one answer within a budget; what the budget does not reach is `not_checked`."""
    if not answer.strip():
        raise UsageError("The answer is empty.")
    passages = as_passages(sources)
    with start_run(budget) as run:
        claims = await verify_answer(verify, answer, passages, question)
        return CheckedAnswer(
            answer,
            all_supported(claims),
            claims,
            tuple(CheckedSource(p.id, p.title, p.uri, p.document_version) for p in passages),
            tuple(run.degraded),
            run.meter.used,
        )


def all_supported(claims: Sequence[Claim]) -> bool:
    """Whether nothing is left to doubt; sentences that need no check do not count."""
    return bool(claims) and all(
        claim.verdict.support in (Support.SUPPORTED, Support.NOT_CHECKWORTHY) for claim in claims
    )


def verify(
    answer: str,
    sources: Sequence[str | Passage],
    *,
    question: str | None = None,
    budget: Budget | None = None,
) -> CheckedAnswer:
    """Check any answer against any sources; `[n]` in the answer means the n-th source.

    >>> verify("The tower opens at nine. [1]", ["The tower opens at nine."]).supported
    True
    """
    from upheld.settings import load_settings

    async def work() -> CheckedAnswer:
        async with opened_verify(load_settings()) as stage:
            return await check(stage, answer, sources, question=question, budget=budget)

    return asyncio.run(work())


@asynccontextmanager
async def opened_verify(settings: Settings) -> AsyncIterator[Verify]:
    """The stage with its model; without one, or with one that is broken, only quotes count."""
    model: Entailment | None = None
    try:
        model = open_entailment(settings)
        stage = Verify(model=model)
    except UpheldError as error:
        reason = str(error).splitlines()[0]
        stage = Verify(model=None, no_model=f"the verifier cannot be opened: {reason}")
    try:
        yield stage
    finally:
        if model is not None:
            await model.close()


def open_entailment(settings: Settings) -> Entailment | None:
    """The verifier's weights, where they are installed."""
    from upheld.assemble import has_local_models

    if not settings.local_models or not has_local_models():
        return None
    import upheld_models

    # Packages of weights from before the verifier was trained do not have it.
    weights = getattr(upheld_models, "verifier_model", None)
    tokenizer = getattr(upheld_models, "verifier_tokenizer", None)
    if weights is None or tokenizer is None:
        return None
    from upheld.edge.entailment import LocalEntailment

    return LocalEntailment(weights(), tokenizer(), threads=settings.threads or None)


def read_source(path: Path, settings: Settings) -> Passage:
    """A file as one source, read in the child process that reads documents."""
    from upheld.assemble import reader

    with reader(settings) as read:
        document = read(path.read_bytes(), path.name)
    version = content_hash(document.text)
    name = path.name
    return Passage(
        id=passage_id(name, version, 0, len(document.text)),
        text=document.text,
        document_id=name,
        document_version=version,
        start=0,
        end=len(document.text),
        title=document.title,
        uri=str(path),
    )
