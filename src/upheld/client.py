"""The surface: `Upheld` for plain code, `AsyncUpheld` for code with an event loop.

with Upheld.open("kb") as kb:
    kb.add("docs/")
    print(kb.ask("Why did the 1869 title go to Princeton?"))
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import replace
from functools import wraps
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

from upheld.budget import Budget
from upheld.concurrency import within
from upheld.errors import BudgetExceededError, UsageError
from upheld.stages.render import render
from upheld.trace import Listener, start_run
from upheld.types import Answer, DocumentInfo, Draft, Evidence, Question, Scope, Status

if TYPE_CHECKING:
    from upheld.assemble import Parts
    from upheld.ingest.report import AddReport, Progress
    from upheld.ports import Maintained, Statistics
    from upheld.settings import Settings

T = TypeVar("T")
P = ParamSpec("P")
Paths = str | PathLike[str] | Sequence[str | PathLike[str]]
MAX_QUESTION = 4000  # characters; a longer one is a document, not a question


class AsyncUpheld:
    """A knowledge base: add documents, ask questions, get cited answers."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    @classmethod
    async def open(cls, kb: str | PathLike[str] | None = None, **settings: Any) -> Self:
        """Open or create a knowledge base in a folder or under `s3://bucket/prefix`."""
        from upheld.assemble import open_parts
        from upheld.settings import load_settings

        chosen = load_settings(kb=None if kb is None else str(kb), **settings)
        return cls(await open_parts(chosen))

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
    ) -> AddReport:
        """Index files and folders; what has not changed is skipped, what is gone is deleted.

        `labels` say who may see the documents; without them, documents keep those they have.
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
        budget: Budget | None = None,
        labels: Iterable[str] | None = None,
        listener: Listener | None = None,
    ) -> Answer:
        """Answer from the documents; within the budget, the best draft so far is the answer."""
        from upheld.assemble import method as compose
        from upheld.assemble import tracer

        asked = Question(_checked(question))
        name = method or self._parts.settings.method
        answer = compose(name, self._parts, self.scope(labels))
        status: Status | None = None
        with start_run(budget, tracer=tracer(), listener=listener) as run:
            try:
                run.meter.check_time()
                draft = await within(run.meter.seconds_left, answer(asked))
            except (BudgetExceededError, TimeoutError) as spent:
                run.degrade(f"the budget ended the run: {str(spent) or 'time is up'}")
                status = Status.PARTIAL if run.best and run.best.claims else Status.FAILED
                draft = run.best or Draft(asked)
            return render(draft, method=name, run=run, status=status)

    async def search(
        self, query: str, *, limit: int | None = None, labels: Iterable[str] | None = None
    ) -> Evidence:
        """The passages that a method would start from."""
        from upheld.assemble import search_stage

        stage = search_stage(self._parts, self.scope(labels))
        return await replace(stage, limit=limit or stage.limit)(Question(_checked(query)))

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

    def __init__(self, kb: str | PathLike[str] | None = None, **settings: Any) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="upheld-loop", daemon=True
        )
        self._thread.start()
        try:
            self.kb = self.run(AsyncUpheld.open(kb, **settings))
        except BaseException:
            self._stop()
            raise

    @classmethod
    def open(cls, kb: str | PathLike[str] | None = None, **settings: Any) -> Self:
        """Open or create a knowledge base in a folder or under `s3://bucket/prefix`."""
        return cls(kb, **settings)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @property
    def settings(self) -> Settings:
        """What this knowledge base was opened with."""
        return self.kb.settings

    def close(self) -> None:
        if self._thread.is_alive():
            self.run(self.kb.close())
            self._stop()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Await something on this knowledge base's own loop."""
        if self._loop.is_closed():
            work.close()
            raise UsageError("This knowledge base is closed.", help="Open it again to use it.")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except KeyboardInterrupt:
            future.cancel()
            raise

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def add(self, paths: Paths, *, labels: Iterable[str] | None = None) -> AddReport:
        """Index files and folders, with a progress bar on a terminal."""
        from upheld.progress import adding

        with adding() as progress:
            return self.run(self.kb.add(paths, labels=labels, progress=progress))

    ask = _on_own_loop(AsyncUpheld.ask)
    search = _on_own_loop(AsyncUpheld.search)
    delete = _on_own_loop(AsyncUpheld.delete)
    documents = _on_own_loop(AsyncUpheld.documents)
    document_text = _on_own_loop(AsyncUpheld.document_text)
    statistics = _on_own_loop(AsyncUpheld.statistics)
    maintain = _on_own_loop(AsyncUpheld.maintain)


def _checked(question: str) -> str:
    text = question.strip()
    if not text:
        raise UsageError("The question is empty.")
    if len(text) > MAX_QUESTION:
        raise UsageError(
            f"The question has {len(text)} characters; at most {MAX_QUESTION} are taken.",
            help="Ask about the documents in a few sentences, and add long text as a document.",
        )
    return text
