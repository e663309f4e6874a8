"""Verification without a knowledge base: `verify` checks any answer against any sources.

`check` is the same for callers that hold an opened verifier: the command line and the service.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
from collections.abc import Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from upheld._internal.loop_thread import LoopThread
from upheld.errors import UsageError
from upheld.run.budget import Budget
from upheld.run.trace import Listener, start_run
from upheld.types import Claim, Passage, Support, Usage
from upheld.verification.verify import Progress, Verify
from upheld.verification.verify_answer import as_passages, verify_answer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from upheld.settings import Settings
    from upheld.verification.llm_judge import JudgeUncertain

_LONG = 100_000  # characters of all sources; longer ones are hashed in a thread


@dataclass(frozen=True, slots=True)
class CheckedSource:
    """The source that the mark [n] stands for, without its text, which the caller has."""

    id: str
    title: str
    uri: str
    version: str


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """An answer with a verdict on every sentence: what `--json` prints."""

    text: str
    supported: bool  # whether all checkworthy claims are supported, and there is at least one
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
    judge: JudgeUncertain | None = None,
    listener: Listener | None = None,
    progress: Progress | None = None,
) -> CheckedAnswer:
    """Check one answer within a budget; claims that the budget does not reach are `not_checked`.

    Without `budget.seconds` there is no timeout. Claims are decided one after another: those that
    were decided before a timeout keep their verdicts. `progress` is called after each claim with
    the number of decided claims and the number of all claims. Raises `UsageError` if the answer
    is empty or an argument has the wrong type.
    """
    _check_types(answer, sources, question)
    if not answer.strip():
        raise UsageError("The answer is empty.")
    # A source is identified by the hash of its text: long texts would block the event loop.
    long = sum(map(_length, sources)) > _LONG
    passages = await asyncio.to_thread(as_passages, sources) if long else as_passages(sources)
    with start_run(budget, listener=listener) as run:
        claims = await verify_answer(verify, answer, passages, question, judge, progress)
        return CheckedAnswer(
            answer,
            all_supported(claims),
            claims,
            tuple(CheckedSource(p.id, p.title, p.uri, p.document_version) for p in passages),
            tuple(run.degraded),
            run.meter.used,
        )


def _length(source: str | Passage) -> int:
    return len(source if isinstance(source, str) else source.text)


def _check_types(answer: object, sources: object, question: object) -> None:
    """Raise `UsageError` for arguments of the wrong type.

    A single string as `sources` is refused: as a sequence it would be many one-letter sources.
    """
    if not isinstance(answer, str):
        raise UsageError(f"The answer must be a string, not {_kind(answer)}.")
    if question is not None and not isinstance(question, str):
        raise UsageError(f"The question must be a string, not {_kind(question)}.")
    if not isinstance(sources, Sequence) or isinstance(sources, str | bytes):
        advice = "Give a list, also for one source: verify(answer, [source])."
        raise UsageError(f"The sources must be a list, not {_kind(sources)}.", help=advice)
    for number, source in enumerate(sources, start=1):
        if not isinstance(source, str | Passage):
            advice = "Give its text, a pathlib.Path of a file, or a Passage."
            raise UsageError(f"Source {number} must be text, not {_kind(source)}.", help=advice)


def _kind(value: object) -> str:
    return type(value).__name__


def all_supported(claims: Sequence[Claim]) -> bool:
    """Whether every checkworthy claim is supported, and there is at least one."""
    found = {claim.verdict.support for claim in claims}
    return Support.SUPPORTED in found and found <= {Support.SUPPORTED, Support.NOT_CHECKWORTHY}


def verify(
    answer: str,
    sources: Sequence[str | Path | Passage],
    *,
    question: str | None = None,
    budget: Budget | None = None,
) -> CheckedAnswer:
    """Check any answer against any sources; `[n]` in the answer means the n-th source.

    A source is a text, or the `Path` of a file in any format that `upheld index` reads. Models
    are loaded by the first call and cached for the next ones. Raises `UsageError` if the answer
    is empty or a file cannot be opened, and `ReadError` if it cannot be parsed.

        >>> verify("The tower opens at nine. [1]", ["The tower opens at nine."]).supported
        True
    """
    checker = kept_checker()
    return checker.loop.run(checker(answer, sources, question, budget))


async def verify_async(
    answer: str,
    sources: Sequence[str | Path | Passage],
    *,
    question: str | None = None,
    budget: Budget | None = None,
) -> CheckedAnswer:
    """Check like `verify`, without blocking the event loop; concurrent calls share one model.

    Example::

        checked = await verify_async("It opens at nine. [1]", ["The tower opens at nine."])
        print(checked.supported, [claim.verdict.support for claim in checked.claims])
    """
    checker = await asyncio.to_thread(kept_checker)
    return await asyncio.wrap_future(checker.loop.start(checker(answer, sources, question, budget)))


class Checker:
    """The verifier and the optional LLM judge of some settings, on their own event loop thread."""

    def __init__(self, settings: Settings) -> None:
        self.loop = LoopThread()
        self._settings = settings
        self._opened = AsyncExitStack()
        try:
            self._stages = self.loop.run(self._open(settings))
        except BaseException:
            self.loop.stop()
            raise

    async def _open(self, settings: Settings) -> tuple[Verify, JudgeUncertain | None]:
        stage = await self._opened.enter_async_context(opened_verify(settings))
        return stage, await self._opened.enter_async_context(opened_judge(settings, stage))

    async def __call__(
        self,
        answer: str,
        sources: Sequence[str | Path | Passage],
        question: str | None,
        budget: Budget | None,
    ) -> CheckedAnswer:
        stage, judge = self._stages
        read = await asyncio.to_thread(self._read, sources)
        return await check(stage, answer, read, question=question, budget=budget, judge=judge)

    def _read(self, sources: Sequence[str | Path | Passage]) -> Sequence[str | Passage]:
        """Replace paths by the passages of their files; `check` validates everything else.

        Raises `UsageError` if a file cannot be opened.
        """
        if isinstance(sources, str | bytes) or not isinstance(sources, Sequence):
            return sources
        try:
            return [
                read_source(each, self._settings) if isinstance(each, Path) else each
                for each in sources
            ]
        except OSError as error:
            raise UsageError(f"A source cannot be opened: {error}.") from error

    def close(self) -> None:
        if self.loop.is_running:
            # At interpreter exit the model's threads cannot be joined; they were asked to stop.
            with suppress(RuntimeError):
                self.loop.run(self._opened.aclose())
            self.loop.stop()


_kept: list[tuple[Settings, Checker]] = []
_keeping = threading.Lock()


def kept_checker() -> Checker:
    """Return the cached checker for the current settings; open it on first use, close it at exit.

    There is one for each process and choice of settings.
    """
    from upheld.settings import load_settings

    settings = load_settings()
    with _keeping:
        for chosen, checker in _kept:
            if chosen == settings and checker.loop.is_running:
                return checker
        checker = Checker(settings)
        atexit.register(checker.close)
        _kept.append((settings, checker))
        return checker


@asynccontextmanager
async def opened_verify(settings: Settings) -> AsyncIterator[Verify]:
    """Open the verifier that `ask` uses for these settings, and close its models at the end."""
    from upheld.resources.open import open_embedder, open_verify

    stage = open_verify(settings)
    if stage.model is not None:
        stage = replace(stage, embedder=open_embedder(settings))
    try:
        yield stage
    finally:
        for model in (stage.model, stage.embedder):
            if model is not None:
                await model.close()


@asynccontextmanager
async def opened_judge(settings: Settings, verify: Verify) -> AsyncIterator[JudgeUncertain | None]:
    """Open the LLM judge if the settings enable it, else yield None; close its model at the end.

    Raises `SettingsError` if the judge is enabled without a language model.
    """
    from upheld.resources.open import judge_stage, open_llm, open_seat

    llm = (open_seat(settings, "checker") or open_llm(settings)) if settings.judge else None
    try:
        yield judge_stage(settings, llm, verify)
    finally:
        if llm is not None:
            await llm.close()


def read_source(path: Path, settings: Settings) -> Passage:
    """Read a file as one passage, in the limited child process that also reads documents.

    Raises `OSError` if the file cannot be opened, and `ReadError` if it cannot be parsed.
    """
    from upheld.ingest.chunk import whole_passage
    from upheld.ingest.document import read_document
    from upheld.resources.open import reader

    name = path.name
    with reader(settings) as read:
        found = read_document(read, path.read_bytes(), name, id=name, uri=str(path), title="")
    return whole_passage(*found)
