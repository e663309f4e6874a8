"""The surface: `Upheld` for plain code, `AsyncUpheld` for code with an event loop.

with Upheld.open("kb") as kb:
    kb.add("docs/")
    print(kb.ask("Why did the 1869 title go to Princeton?"))
"""

from __future__ import annotations

import math
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar, Unpack

from upheld._internal.concurrency import within
from upheld._internal.loop_thread import LoopThread
from upheld.answer.render import render
from upheld.answer.verdicts import apply_guarantee, stated_guarantee
from upheld.calibration.fitted import FittedGuarantee, given_or_read
from upheld.errors import BudgetExceededError, UsageError
from upheld.methods.parameters import Parameters
from upheld.methods.registry import label
from upheld.methods.registry import parameters as chosen_parameters
from upheld.open_options import OpenSettings
from upheld.planning.standalone import Standalone
from upheld.run.budget import Budget
from upheld.run.trace import Listener, Watch, start_run
from upheld.types import Answer, DocumentInfo, Draft, Evidence, Question, Scope, Status
from upheld.verification.relevance import score_relevance
from upheld.verification.verify_draft import VerifyDraft

if TYPE_CHECKING:
    from upheld.add_report import AddReport, Progress
    from upheld.ingest.given import Given, PutReport
    from upheld.ports import LLM, Maintained, Message, Statistics
    from upheld.resources.open import Resources
    from upheld.settings import Settings

T = TypeVar("T")
P = ParamSpec("P")
Paths = str | PathLike[str] | Sequence[str | PathLike[str]]
MAX_QUESTION = 4000  # characters; a longer one is a document, not a question


class AsyncUpheld:
    """A knowledge base: add documents, ask questions, get cited answers."""

    def __init__(self, parts: Resources) -> None:
        self._parts = parts

    @classmethod
    async def open(
        cls,
        kb: str | PathLike[str] | None = None,
        *,
        llm: LLM | None = None,
        **settings: Unpack[OpenSettings],
    ) -> Self:
        """Open or create a knowledge base in a folder or under `s3://bucket/prefix`.

        `llm` is a language model of your own, instead of a server at `llm_url`; it is closed with
        the knowledge base. All other arguments are settings.
        """
        from upheld.resources.open import open_resources
        from upheld.settings import load_settings

        chosen = load_settings(kb=None if kb is None else str(kb), **settings)
        return cls(await open_resources(chosen, llm))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._parts.close()

    @property
    def settings(self) -> Settings:
        """What this knowledge base was opened with."""
        return self._parts.settings

    def scope(self, labels: Iterable[str] | None = None) -> Scope:
        """What a caller with these labels may see; None is the owner's view."""
        return Scope(self._collection, None if labels is None else frozenset(labels))

    @property
    def _collection(self) -> str:
        return self._parts.settings.collection

    async def add(
        self,
        paths: Paths,
        *,
        labels: Iterable[str] | None = None,
        progress: Callable[[Progress], None] | None = None,
        prune: bool = False,
    ) -> AddReport:
        """Index files and folders; what has not changed is skipped, what is gone is deleted.

        `labels` say who may see the documents; without them, documents keep those they have.
        Nothing is deleted if a folder could not be listed. Without `prune` nothing is deleted
        either if a file could not be read, or if it would be all documents of a folder, or more
        than 10 and a tenth of them: the report names them in `not_deleted_uris`.
        """
        from upheld.ingest.pipeline import add

        given = [paths] if isinstance(paths, str | PathLike) else paths
        parts = self._parts
        return await add(
            [Path(path) for path in given],
            index=parts.index,
            embedder=parts.embedder,
            chunker=parts.chunker,
            reader=parts.reader,
            limits=parts.reader.limits,
            collection=self._collection,
            labels=None if labels is None else frozenset(labels),
            progress=progress,
            prune=prune,
        )

    async def put(self, documents: Sequence[Given], *, seconds: float | None = None) -> PutReport:
        """Index documents that are given as bytes; the same id again replaces its document.

        Documents that were not begun within `seconds` are left out of the report, and unread.
        """
        from upheld.ingest.given import put

        parts = self._parts
        return await put(
            documents,
            index=parts.index,
            embedder=parts.embedder,
            chunker=parts.chunker,
            reader=parts.reader,
            collection=self._collection,
            seconds=math.inf if seconds is None else seconds,
        )

    async def delete(self, document_ids: str | Sequence[str]) -> int:
        """Forget documents; `maintain` then removes their last bytes."""
        ids = [document_ids] if isinstance(document_ids, str) else document_ids
        return await self._parts.index.delete(self._collection, ids)

    async def ask(
        self,
        question: str,
        *,
        method: str | None = None,
        preset: str | None = None,
        parameters: Mapping[str, Any] | None = None,
        budget: Budget | None = None,
        labels: Iterable[str] | None = None,
        strict: bool = False,
        calibrated: bool = True,
        guarantee: FittedGuarantee | None = None,
        earlier: Sequence[Message] = (),
        listener: Listener | None = None,
        watch: Watch | None = None,
    ) -> Answer:
        """Answer from the documents, with a verdict on every sentence.

        When the budget ends, the best draft so far is the answer, and what was not reached is not
        checked. `preset` and `parameters` change a method: `upheld methods` lists what each can be
        told. `strict` keeps only what the sources uphold, and abstains where nothing is left.
        `guarantee` stands instead of the one of the settings; `calibrated=False` leaves out both.
        `earlier` messages go into the question. `listener` hears of each step as it ends; `watch`
        also as it begins, and of what the language model writes while it does.
        """
        from upheld.methods.build import build
        from upheld.resources.open import pipeline as pipeline_of
        from upheld.resources.open import tracer

        asked = Question(checked_question(question))
        settings = self._parts.settings
        name = method or settings.method
        usual = {"search": settings.search, "passages": settings.passages}
        chosen = chosen_parameters(name, parameters or {}, preset=preset, settings=usual)
        write_draft = build(self._parts, self.scope(labels), chosen)
        pipeline = pipeline_of(label(name, chosen, usual), self._parts)
        fitted = given_or_read(guarantee, settings.guarantee) if calibrated else None
        promise = None if fitted is None else fitted.for_pipeline(pipeline)
        status: Status | None = None
        with start_run(budget, tracer=tracer(), listener=listener, watch=watch) as run:
            try:
                run.meter.check_time()
                asked = await Standalone(llm=self._parts.llm)(asked, earlier)
                draft = await within(run.meter.seconds_left, write_draft(asked))
            except (BudgetExceededError, TimeoutError) as spent:
                run.degrade(f"the budget ended the run: {str(spent) or 'time is up'}")
                # The best so far may be the answer to a sub-question.
                draft = replace(run.best, question=asked) if run.best else Draft(asked)
                # Where only calls or tokens ran out, a draft without claims says that none fit.
                looked = run.best is not None and run.meter.seconds_left > 0
                status = Status.PARTIAL if draft.claims or looked else Status.FAILED
            check = VerifyDraft(verify=self._parts.verify, judge=self._parts.judge)
            checked = await score_relevance(
                await check(draft), self._parts.grade.grader, self._parts.embedder
            )
            if promise is not None:
                checked = apply_guarantee(checked, promise)
            elif fitted is not None:
                run.degrade("no guarantee: the one there is was fitted on another pipeline")
            return render(
                checked,
                method=name,
                run=run,
                status=status,
                strict=strict,
                pipeline=pipeline,
                guarantee=stated_guarantee(promise, (*run.degraded, *checked.notes)),
            )

    async def search(
        self, query: str, *, limit: int | None = None, labels: Iterable[str] | None = None
    ) -> Evidence:
        """The passages that a method would start from."""
        from upheld.methods.build import StageFactory

        settings = self._parts.settings
        plain = Parameters(
            search=settings.search, rerank=False, passages=limit or settings.passages
        )
        kit = StageFactory(self._parts, self.scope(labels), plain)
        return await kit.found(plain.passages)(Question(checked_question(query)))

    async def documents(self, *, labels: Iterable[str] | None = None) -> list[DocumentInfo]:
        return await self._parts.index.documents(self.scope(labels))

    async def document_text(
        self,
        document_id: str,
        *,
        version: str | None = None,
        labels: Iterable[str] | None = None,
    ) -> str:
        """The canonical text that citations point into."""
        return await self._parts.index.document_text(document_id, self.scope(labels), version)

    async def statistics(self) -> Statistics:
        return await self._parts.index.statistics(self._collection)

    async def maintain(self) -> Maintained:
        """Compact, index new rows, and remove what was deleted from every byte of storage."""
        return await self._parts.index.maintain(self._collection)


def _on_own_loop(
    method: Callable[Concatenate[AsyncUpheld, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[Upheld, P], T]:
    """The plain twin of an async method: same name, same arguments, same documentation."""

    @wraps(method)
    def call(self: Upheld, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.run(method(self.kb, *args, **kwargs))

    return call


class Upheld:
    """`AsyncUpheld` for code without an event loop: the same calls, on a loop of their own."""

    def __init__(
        self,
        kb: str | PathLike[str] | None = None,
        *,
        llm: LLM | None = None,
        **settings: Unpack[OpenSettings],
    ) -> None:
        self._loop = LoopThread()
        try:
            self.kb = self.run(AsyncUpheld.open(kb, llm=llm, **settings))
        except BaseException:
            self._loop.stop()
            raise

    @classmethod
    def open(
        cls,
        kb: str | PathLike[str] | None = None,
        *,
        llm: LLM | None = None,
        **settings: Unpack[OpenSettings],
    ) -> Self:
        """Open or create a knowledge base in a folder or under `s3://bucket/prefix`.

        `llm` is a language model of your own, instead of a server at `llm_url`; it is closed with
        the knowledge base. All other arguments are settings.
        """
        return cls(kb, llm=llm, **settings)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @property
    def settings(self) -> Settings:
        """What this knowledge base was opened with."""
        return self.kb.settings

    def close(self) -> None:
        if self._loop.is_running:
            try:
                self.run(self.kb.close())
            finally:
                self._loop.stop()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Await something on this knowledge base's own loop."""
        return self._loop.run(work)

    def add(
        self, paths: Paths, *, labels: Iterable[str] | None = None, prune: bool = False
    ) -> AddReport:
        """Index files and folders, with a progress bar on a terminal; see `AsyncUpheld.add`."""
        from upheld._internal.progress import adding

        with adding() as progress:
            return self.run(self.kb.add(paths, labels=labels, progress=progress, prune=prune))

    ask = _on_own_loop(AsyncUpheld.ask)
    search = _on_own_loop(AsyncUpheld.search)
    put = _on_own_loop(AsyncUpheld.put)
    delete = _on_own_loop(AsyncUpheld.delete)
    documents = _on_own_loop(AsyncUpheld.documents)
    document_text = _on_own_loop(AsyncUpheld.document_text)
    statistics = _on_own_loop(AsyncUpheld.statistics)
    maintain = _on_own_loop(AsyncUpheld.maintain)


def check_request(
    question: str,
    method: str | None = None,
    preset: str | None = None,
    parameters: Mapping[str, object] | None = None,
    **settings: Any,
) -> Settings:
    """Raise what `open` and `ask` would raise for these arguments, without opening anything.

    Returns the settings, so that the caller can go on with them.
    """
    from upheld.resources.open import check_settings
    from upheld.settings import load_settings

    checked_question(question)
    chosen = load_settings(**settings)
    usual = {"search": chosen.search, "passages": chosen.passages}
    chosen_parameters(method or chosen.method, parameters or {}, preset=preset, settings=usual)
    check_settings(chosen)
    given_or_read(None, chosen.guarantee)
    return chosen


def checked_question(question: str) -> str:
    """The question without space around it; raises `UsageError` if it is empty or too long."""
    text = question.strip()
    if not text:
        raise UsageError("The question is empty.")
    if len(text) > MAX_QUESTION:
        raise UsageError(
            f"The question has {len(text)} characters; at most {MAX_QUESTION} are taken.",
            help="Ask about the documents in a few sentences, and add long text as a document.",
        )
    return text
