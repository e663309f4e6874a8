"""The asynchronous client `AsyncUpheld`; `Upheld` has the same calls without `await`.

async with await AsyncUpheld.open("kb") as kb:
    await kb.add("docs/")
    print(await kb.ask("Why did the 1869 title go to Princeton?"))
"""

from __future__ import annotations

import math
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack

from upheld._internal.concurrency import within
from upheld._internal.deprecated import warn
from upheld.answer.render import render
from upheld.answer.verdicts import apply_guarantee, stated_guarantee
from upheld.answer.verified_claims import VerifiedClaims, passing_on
from upheld.ask_options import AskOptions, DeprecatedAskArguments, merge_deprecated
from upheld.calibration.fitted import given_or_read
from upheld.errors import BudgetExceededError, UsageError
from upheld.methods.parameters import Parameters
from upheld.methods.registry import ANNOUNCING, MakeMethod, label, method_name
from upheld.methods.registry import parameters as chosen_parameters
from upheld.open_options import OpenSettings
from upheld.planning.standalone import Standalone
from upheld.ports import ReEmbedder
from upheld.run.budget import Budget
from upheld.run.trace import start_run
from upheld.types import Answer, DocumentInfo, Draft, Evidence, Passage, Question, Scope, Status
from upheld.verification.relevance import score_relevance
from upheld.verification.verify_draft import VerifyDraft

if TYPE_CHECKING:
    from upheld.add_report import AddReport, Progress
    from upheld.ingest.given import Given, PutReport
    from upheld.ports import LLM, Index, Maintained, ReEmbedded, Searcher, Statistics
    from upheld.resources.open import Resources
    from upheld.settings import Settings

Paths = str | PathLike[str] | Sequence[str | PathLike[str]]
MAX_QUESTION = 4000  # characters; a longer one is a document, not a question


class AsyncUpheld:
    """A knowledge base: add documents, ask questions, get cited answers.

        >>> async with await AsyncUpheld.open("kb") as kb:
        ...     await kb.add("examples/documents")
        ...     answer = await kb.ask("When does the lighthouse open?")

    One object serves many questions at a time: `asyncio.gather(kb.ask(one), kb.ask(other))`.
    """

    def __init__(self, parts: Resources) -> None:
        self._parts = parts

    @classmethod
    async def open(
        cls,
        kb: str | PathLike[str] | None = None,
        *,
        llm: LLM | None = None,
        index: Index | None = None,
        searcher: Searcher | None = None,
        **settings: Unpack[OpenSettings],
    ) -> Self:
        """Open or create a knowledge base in a folder or under `s3://bucket/prefix`.

        - `llm`: a language model of your own, instead of the server at `llm_url`.
        - `index`: stores and searches documents, instead of LanceDB.
        - `searcher`: finds the passages that answers are written from, instead of the index;
          documents are still added to the index.
        - All other arguments are settings; raises `SettingsError` if one is unknown or invalid.

        `close` also closes the index, the model and the searcher that you pass, if they can be.

            >>> kb = await AsyncUpheld.open("kb", passages=8)
        """
        from upheld.resources.open import open_resources
        from upheld.settings import load_settings

        chosen = load_settings(kb=None if kb is None else str(kb), **settings)
        return cls(await open_resources(chosen, llm, index=index, searcher=searcher))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the index, the models and the file reader; `async with` does it for you."""
        await self._parts.close()

    @property
    def settings(self) -> Settings:
        """The settings that this knowledge base was opened with."""
        return self._parts.settings

    def scope(self, labels: Iterable[str] | None = None) -> Scope:
        """Return the scope of a caller with these labels; None means that everything is visible."""
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
        on: str | None = None,
    ) -> AddReport:
        """Index files and folders: skip unchanged files, delete documents whose file is gone.

            >>> report = await kb.add("examples/documents", labels=["public"])
            >>> report.added, report.failed
            (3, ())

        - `labels`: who may see the documents; None keeps the labels that a document has.
        - `progress`: called with a `Progress` as files are read and written.
        - `prune`: delete documents even where that looks like a mistake. Without it nothing is
          deleted if a file could not be read, or if all documents of a folder would go, or more
          than 10 and more than a tenth of them; `not_deleted_uris` of the report lists them.
        - `on`: where to read and embed many files: `local` (processes of this machine), `ray` or
          `ray://host:port` (a cluster whose hosts all see the files under the same paths).

        Nothing is deleted, with or without `prune`, if a folder could not be listed. Files that
        cannot be read do not raise: they are in `failed` of the report.
        """
        from upheld.resources.bulk import add_files

        given = [paths] if isinstance(paths, str | PathLike) else paths
        return await add_files(
            self._parts,
            [Path(path) for path in given],
            labels=None if labels is None else frozenset(labels),
            progress=progress,
            prune=prune,
            on=on,
        )

    async def put(self, documents: Sequence[Given], *, seconds: float | None = None) -> PutReport:
        """Index documents from bytes; a document with the same id is replaced.

            >>> note = Given("note-7", b"It leaves at nine.", "note.txt", uri="note:7")
            >>> report = await kb.put([note])
            >>> report.versions
            {'note-7': '5b1f…'}

        `seconds` is a timeout: documents that were not started within it are not read, and are
        left out of the report.
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
        """Delete documents by id and return how many there were.

        Searches no longer find them; `maintain` then removes their bytes from storage.

        >>> await kb.delete([each.id for each in await kb.documents()])
        3
        """
        ids = [document_ids] if isinstance(document_ids, str) else document_ids
        return await self._parts.index.delete(self._collection, ids)

    def ask(
        self,
        question: str,
        *,
        method: str | MakeMethod | None = None,
        preset: str | None = None,
        parameters: Mapping[str, Any] | None = None,
        budget: Budget | None = None,
        labels: Iterable[str] | None = None,
        keep_supported: bool = False,
        options: AskOptions | None = None,
        **deprecated: Unpack[DeprecatedAskArguments],
    ) -> Coroutine[Any, Any, Answer]:
        """Answer a question from the documents, with a verdict on every sentence.

            >>> answer = await kb.ask(
            ...     "When does the lighthouse open?", method="crag", budget=Budget(seconds=20)
            ... )
            >>> for claim in answer.claims:
            ...     print(claim.verdict.support, claim.text)

        - `method`: a name that `upheld methods` lists, or a function of your own that makes one.
        - `preset`, `parameters`: options of the method; `upheld methods` lists those of each.
        - `budget`: limits of time, calls and tokens. When one is reached, the best draft so far
          is the answer, and claims that were not checked by then are `not_checked`.
        - `labels`: of the caller, who sees documents with one of these labels or with no label;
          None sees all documents.
        - `keep_supported`: leave out claims that no source supports; abstain if none is left.
        - `options`: the conversation so far, a guarantee, progress; see `AskOptions`. Until 0.3
          its fields also work as arguments, and `strict` as `keep_supported`, with a warning.

        An abstention or an exhausted budget is a `status` of the answer, not an exception. Raises
        `UsageError` for an empty or overlong question and for unknown methods and parameters.
        """
        # Not a coroutine function: the warning must be raised in the caller's frame, at its line.
        if "strict" in deprecated:
            warn("ask(strict=…) is deprecated: give keep_supported=…")
            keep_supported = deprecated.pop("strict")
        chosen = merge_deprecated(options, deprecated)
        how = (method, preset, parameters or {})
        return self._ask(question, how, budget, labels, keep_supported, chosen)

    async def _ask(
        self,
        question: str,
        how: tuple[str | MakeMethod | None, str | None, Mapping[str, Any]],
        budget: Budget | None,
        labels: Iterable[str] | None,
        keep_supported: bool,
        options: AskOptions,
    ) -> Answer:
        from upheld.methods.build import build
        from upheld.methods.by_diagnosis.final_checks import RelevanceGate
        from upheld.planning.facets import facets_hinted
        from upheld.resources.open import pipeline as pipeline_of
        from upheld.resources.open import tracer

        asked = Question(checked_question(question))
        settings = self._parts.settings
        method, preset, parameters = how
        method = method or settings.method
        name = method_name(method)
        usual = {"search": settings.search, "passages": settings.passages}
        chosen = chosen_parameters(method, parameters, preset=preset, settings=usual)
        write_draft = build(self._parts, self.scope(labels), chosen, method)
        pipeline = pipeline_of(label(method, chosen, usual), self._parts)
        fitted = None
        if options.calibrated:
            fitted = given_or_read(options.guarantee, settings.guarantee)
        guarantee = None if fitted is None else fitted.for_pipeline(pipeline)
        status: Status | None = None
        with start_run(
            budget,
            tracer=tracer(),
            listener=options.listener,
            watch=options.watch,
            news=options.news,
        ) as run:

            async def finish(draft: Draft) -> Draft:
                check = VerifyDraft(verify=self._parts.verify, judge=self._parts.judge)
                checked = await score_relevance(
                    await check(draft), self._parts.grade.grader, self._parts.embedder
                )
                return checked if guarantee is None else apply_guarantee(checked, guarantee)

            early = None
            if options.on_claim is not None and name in ANNOUNCING and not chosen.short:
                gated = chosen.relevance_gate
                early = VerifiedClaims(
                    finish,
                    options.on_claim,
                    repairs=gated or ANNOUNCING[name],
                    keep_supported=keep_supported,
                    # An answer to several facets passes the gate.
                    least_relevance=RelevanceGate.enough
                    if gated and not facets_hinted(asked.text)
                    else None,
                )
            try:
                run.meter.check_time()
                asked = await Standalone(llm=self._parts.llm)(asked, options.earlier)
                async with passing_on(run, asked, early):
                    draft = await within(run.meter.seconds_left, write_draft(asked))
            except (BudgetExceededError, TimeoutError) as spent:
                run.degrade(f"the budget ended the run: {str(spent) or 'timeout'}")
                # The best draft so far may answer a sub-question: restore the question asked.
                draft = replace(run.best, question=asked) if run.best else Draft(asked)
                # If time is left, only calls or tokens ran out: then a draft without claims means
                # that no passage answers, and the run is partial, not failed.
                looked = run.best is not None and run.meter.seconds_left > 0
                status = Status.PARTIAL if draft.claims or looked else Status.FAILED
            checked = await finish(draft)
            if guarantee is None and fitted is not None:
                run.degrade("no guarantee: the existing one was fitted on another pipeline")
            return render(
                checked,
                method=name,
                run=run,
                status=status,
                keep_supported=keep_supported,
                pipeline=pipeline,
                guarantee=stated_guarantee(guarantee, (*run.degraded, *checked.notes)),
            )

    async def search(
        self, query: str, *, limit: int | None = None, labels: Iterable[str] | None = None
    ) -> Evidence:
        """Search the documents and return the passages that a method starts from, best first.

        >>> for hit in await kb.search("ferry", limit=3):
        ...     print(hit.passage.title, hit.passage.start, hit.passage.end)
        """
        from upheld.methods.build import StageFactory

        settings = self._parts.settings
        plain = Parameters(
            search=settings.search, rerank=False, passages=limit or settings.passages
        )
        stages = StageFactory(self._parts, self.scope(labels), plain)
        return await stages.found(plain.passages)(Question(checked_question(query)))

    async def documents(self, *, labels: Iterable[str] | None = None) -> list[DocumentInfo]:
        """List the documents that a caller with these labels may see; None lists all.

        >>> [each.uri for each in await kb.documents()]
        """
        return await self._parts.index.documents(self.scope(labels))

    async def document_text(
        self,
        document_id: str,
        *,
        version: str | None = None,
        labels: Iterable[str] | None = None,
    ) -> str:
        """Return the canonical text of a document, which the offsets of citations point into.

        `version` is the current one by default. Raises `NotFoundError` if there is no such
        document or version, or if the labels do not allow it.

        >>> text = await kb.document_text(citation.document_id)
        >>> text[citation.start : citation.end] == citation.quote
        True
        """
        return await self._parts.index.document_text(document_id, self.scope(labels), version)

    async def document_passages(
        self, document_id: str, *, labels: Iterable[str] | None = None
    ) -> list[Passage]:
        """Return the passages that a document was cut into, by their place in its text.

        The list is empty if there is no such document, or if the labels do not allow it.

        >>> [(each.start, each.end) for each in await kb.document_passages("rota")]
        [(0, 54)]
        """
        return await self._parts.index.document_passages(document_id, self.scope(labels))

    async def statistics(self) -> Statistics:
        """Count documents and passages of the collection, and rows that are not indexed yet.

        >>> (await kb.statistics()).passages
        12
        """
        return await self._parts.index.statistics(self._collection)

    async def maintain(self) -> Maintained:
        """Compact the storage, index new rows, and erase the bytes of deleted documents.

        >>> (await kb.maintain()).removed_rows
        5
        """
        return await self._parts.index.maintain(self._collection)

    async def re_embed(self, *, progress: Callable[[int, int], None] | None = None) -> ReEmbedded:
        """Embed all passages again with the embedder of the settings, without downtime.

        Needed when the collection was made with another embedder, or without one. Processes that
        are open go on searching and writing it meanwhile. Afterwards those with the old embedder
        search by words only, and cannot add documents, until they are opened again. If it is
        interrupted, call it again: it continues.

        `progress` is called with how many passages are embedded, and how many there are.

        >>> (await kb.re_embed()).passages
        12
        """
        index, embedder = self._parts.index, self._parts.embedder
        if embedder is None:
            raise UsageError(
                "There is no embedder to embed the passages with.",
                help="Install upheld[local], and leave local_models on.",
            )
        if not isinstance(index, ReEmbedder):
            raise UsageError(f"{type(index).__name__} cannot re-embed a collection.")
        return await index.re_embed(self._collection, embedder, progress)


def check_request(
    question: str,
    method: str | None = None,
    preset: str | None = None,
    parameters: Mapping[str, object] | None = None,
    **settings: Any,
) -> Settings:
    """Validate the arguments of `open` and `ask` without opening anything; return the settings.

    Raises the same errors that `open` and `ask` would raise for them.
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
    """Return the question, stripped; raise `UsageError` if it is empty or too long."""
    text = question.strip()
    if not text:
        raise UsageError("The question is empty.")
    if len(text) > MAX_QUESTION:
        raise UsageError(
            f"The question has {len(text)} characters; the limit is {MAX_QUESTION}.",
            help="Ask about the documents in a few sentences, and add long text as a document.",
        )
    return text
