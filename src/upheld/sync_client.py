"""The synchronous client `Upheld`: runs the calls of `AsyncUpheld` on an event loop thread.

with Upheld.open("kb") as kb:
    kb.add("docs/")
    print(kb.ask("Why did the 1869 title go to Princeton?"))
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from functools import wraps
from os import PathLike
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar, Unpack

from upheld._internal.loop_thread import LoopThread
from upheld.client import AsyncUpheld, Paths
from upheld.open_options import OpenSettings

if TYPE_CHECKING:
    from upheld.add_report import AddReport
    from upheld.ports import LLM, Index, ReEmbedded, Searcher
    from upheld.settings import Settings

T = TypeVar("T")
P = ParamSpec("P")


def _on_loop_thread(
    method: Callable[Concatenate[AsyncUpheld, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[Upheld, P], T]:
    """Make a blocking method from an async one, with the same name, arguments and docstring."""

    @wraps(method)
    def call(self: Upheld, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.run(method(self.kb, *args, **kwargs))

    return call


class Upheld:
    """A knowledge base: add documents, ask questions, get cited answers.

        >>> from upheld import Upheld
        >>> with Upheld.open("kb") as kb:
        ...     kb.add("examples/documents")
        ...     print(kb.ask("When does the lighthouse open?"))

    It has the calls of `AsyncUpheld`, without `await`; leave out `await` in their examples, too.
    """

    def __init__(
        self,
        kb: str | PathLike[str] | None = None,
        *,
        llm: LLM | None = None,
        index: Index | None = None,
        searcher: Searcher | None = None,
        **settings: Unpack[OpenSettings],
    ) -> None:
        self._loop = LoopThread()
        try:
            self.kb = self.run(
                AsyncUpheld.open(kb, llm=llm, index=index, searcher=searcher, **settings)
            )
        except BaseException:
            self._loop.stop()
            raise

    @classmethod
    def open(
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

            >>> kb = Upheld.open("s3://bucket/kb", search="bm25", passages=8)
        """
        return cls(kb, llm=llm, index=index, searcher=searcher, **settings)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @property
    def settings(self) -> Settings:
        """The settings that this knowledge base was opened with."""
        return self.kb.settings

    def close(self) -> None:
        """Close the knowledge base and stop its event loop; `with` does it for you."""
        if self._loop.is_running:
            try:
                self.run(self.kb.close())
            finally:
                self._loop.stop()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the event loop of this knowledge base and return its result."""
        return self._loop.run(work)

    def add(
        self,
        paths: Paths,
        *,
        labels: Iterable[str] | None = None,
        prune: bool = False,
        on: str | None = None,
    ) -> AddReport:
        """Index files and folders, with a progress bar on a terminal; see `AsyncUpheld.add`.

        >>> kb.add("examples/documents").added
        3
        """
        from upheld._internal.progress import adding

        with adding() as progress:
            adding_files = self.kb.add(paths, labels=labels, progress=progress, prune=prune, on=on)
            return self.run(adding_files)

    def re_embed(self) -> ReEmbedded:
        """Embed all passages again, with a progress bar on a terminal; see `AsyncUpheld.re_embed`.

        >>> kb.re_embed().passages
        12
        """
        from upheld._internal.progress import counting

        with counting("Embedding", "passages") as progress:
            return self.run(self.kb.re_embed(progress=progress))

    ask = _on_loop_thread(AsyncUpheld.ask)
    search = _on_loop_thread(AsyncUpheld.search)
    put = _on_loop_thread(AsyncUpheld.put)
    delete = _on_loop_thread(AsyncUpheld.delete)
    documents = _on_loop_thread(AsyncUpheld.documents)
    document_text = _on_loop_thread(AsyncUpheld.document_text)
    document_passages = _on_loop_thread(AsyncUpheld.document_passages)
    statistics = _on_loop_thread(AsyncUpheld.statistics)
    maintain = _on_loop_thread(AsyncUpheld.maintain)
