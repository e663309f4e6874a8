"""The composition root: opens the index, models and clients that the settings name.

Adapters of `upheld.edge` are chosen and imported here, when they are needed.
"""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pydantic import SecretStr

from upheld._internal.otel import OtelTracer
from upheld.errors import SettingsError, UpheldError
from upheld.ingest.chunk import Chunker
from upheld.ingest.worker import Limits, ReadWorker
from upheld.ports import LLM, Embedder, Fetch, Grader, Index, Objects, Searcher
from upheld.prompts.card import JudgmentWeights, judgment_weights
from upheld.resources.fallback_search import FallbackSearch, open_fallback_search
from upheld.retrieval.grade import Grade, fitted_grade
from upheld.settings import Settings
from upheld.verification.decide import fitted
from upheld.verification.llm_judge import JudgeUncertain, band_around
from upheld.verification.verify import Verify


@dataclass(frozen=True, slots=True)
class Resources:
    """The opened index, models and clients of one knowledge base."""

    settings: Settings
    index: Index
    embedder: Embedder | None
    llm: LLM | None
    verify: Verify
    grade: Grade
    chunker: Chunker
    reader: ReadWorker
    judge: JudgeUncertain | None = None
    fallback_search: FallbackSearch | None = None
    searcher: Searcher | None = None  # the caller's, used for answers instead of the index
    planner: LLM | None = None  # plans sub-questions; None: the language model does
    checker: LLM | None = None  # judges drafts; None: the language model does
    judgment: JudgmentWeights | None = None  # of the checker in P(right); None: it has none

    async def close(self) -> None:
        """Close everything, even if closing one part fails."""
        async with AsyncExitStack() as closing:
            closing.push_async_callback(close_models, self)
            closing.push_async_callback(self.leave)

    async def leave(self) -> None:
        """Close the index and searchers of this knowledge base, but not the shared models."""
        async with AsyncExitStack() as closing:
            if self.fallback_search is not None:
                closing.push_async_callback(self.fallback_search.close)
            closing.push_async_callback(self.index.close)
            if (close := getattr(self.searcher, "close", None)) is not None:
                closing.push_async_callback(close)


@dataclass(frozen=True, slots=True)
class Shared:
    """The models and the file reader, which are opened once and shared by knowledge bases."""

    embedder: Embedder | None
    llm: LLM | None
    verify: Verify
    grade: Grade
    chunker: Chunker
    reader: ReadWorker
    judge: JudgeUncertain | None
    planner: LLM | None = None
    checker: LLM | None = None
    judgment: JudgmentWeights | None = None

    async def close(self) -> None:
        await close_models(self)


async def close_models(parts: Resources | Shared) -> None:
    """Close the language model, the local models and the reader, even if closing one fails."""
    async with AsyncExitStack() as closing:
        # In a thread, because ending the reader's processes can take a moment.
        closing.push_async_callback(asyncio.to_thread, parts.reader.close)
        models = (parts.grade.grader, parts.verify.model, parts.embedder)
        for part in (*models, parts.llm, parts.planner, parts.checker):
            if part is not None:
                closing.push_async_callback(part.close)


def has_local_models() -> bool:
    """Whether the extra `local` is installed."""
    return all(
        importlib.util.find_spec(name) for name in ("onnxruntime", "tokenizers", "upheld_models")
    )


async def open_resources(
    settings: Settings,
    llm: LLM | None = None,
    *,
    index: Index | None = None,
    searcher: Searcher | None = None,
) -> Resources:
    """Open the index and the models that the settings name; arguments replace them.

    Raises `SettingsError` if `llm` is given and the settings name a language model as well.
    """
    chosen = settings if llm is None else _written_by(llm, settings)
    shared = open_shared(chosen, llm)
    try:
        return replace(await join(shared, chosen, index), searcher=searcher)
    except BaseException:
        await shared.close()
        raise


def _written_by(llm: LLM, settings: Settings) -> Settings:
    """Return the settings with the name of this language model, for answers and guarantees."""
    if settings.llm_url is not None or settings.llm_model is not None:
        raise SettingsError(
            "A language model is given, and the settings name another one.",
            help="Leave out llm, or llm_url and llm_model (upheld.toml and UPHELD_* count, too).",
        )
    return settings.model_copy(update={"llm_model": llm.identity})


def open_shared(settings: Settings, llm: LLM | None = None) -> Shared:
    """Open the models that the settings name, the chunker and the file reader."""
    llm = open_llm(settings) if llm is None else _cached(llm, settings)
    planner, checker = open_seat(settings, "planner"), open_seat(settings, "checker")
    embedder = open_embedder(settings)
    verify = replace(open_verify(settings), embedder=embedder)
    return Shared(
        embedder=embedder,
        llm=llm,
        verify=verify,
        grade=open_grade(settings),
        chunker=chunker(settings),
        reader=reader(settings),
        judge=judge_stage(settings, checker or llm, verify),
        planner=planner,
        checker=checker,
        judgment=judgment_weights(settings.model_cards) if checker else None,
    )


async def join(shared: Shared, settings: Settings, index: Index | None = None) -> Resources:
    """Combine opened models with the index that the settings name, or with the given index."""
    embedder = shared.embedder
    if index is None:  # not `if not index`: an empty index may be false
        index = await open_index(settings, embedder)
    return Resources(
        settings=settings,
        index=index,
        embedder=embedder,
        llm=shared.llm,
        verify=shared.verify,
        grade=shared.grade,
        chunker=shared.chunker,
        reader=shared.reader,
        judge=shared.judge,
        planner=shared.planner,
        checker=shared.checker,
        judgment=shared.judgment,
        fallback_search=open_fallback_search(
            settings, index, embedder, shared.reader, shared.chunker
        ),
    )


async def open_index(settings: Settings, embedder: Embedder | None) -> Index:
    """Open the LanceDB index of the knowledge base that the settings name."""
    from upheld.edge.lance.index import LanceIndex

    return await LanceIndex.open(
        settings.kb,
        storage_options=settings.storage or None,
        embedder_identity=embedder.identity if embedder else None,
        dimension=embedder.dimension if embedder else None,
    )


def load_engine() -> None:
    """Import LanceDB, which takes seconds, before the first request needs it."""
    from upheld.edge.lance.engine import load_lancedb

    load_lancedb()


def open_fetch() -> Fetch | None:
    """Open the fetcher of web pages; None if the extra `web` is not installed."""
    try:
        import protego  # noqa: F401 — for robots.txt; the rest of the extra may be here without it

        from upheld.edge.web.fetch import Fetcher
    except ImportError:
        return None
    return Fetcher()


def open_objects(settings: Settings) -> Objects:
    """Open the object storage beside the index, for uploaded files that wait to be read."""
    from upheld.edge.objects import Objects as ObjectsAt

    return ObjectsAt.at(settings.kb, settings.storage)


def open_embedder(settings: Settings) -> Embedder | None:
    """Open the local embedder; without it None, and search is by words."""
    if not settings.local_models or not has_local_models():
        return None
    from upheld.edge.onnx.embedder import LocalEmbedder

    return LocalEmbedder(threads=settings.threads or None)


def check_settings(settings: Settings) -> None:
    """Raise `SettingsError` for settings that contradict each other, before anything is opened."""
    if settings.llm_url is None and settings.llm_model is not None:
        raise SettingsError(
            "A model name is set, but no server.",
            help="Give --llm URL, UPHELD_LLM_URL or llm_url in upheld.toml.",
        )
    if settings.llm_url is not None and settings.llm_model is None:
        raise SettingsError(
            "A language model server is set, but no model name.",
            help="Give --model NAME, UPHELD_LLM_MODEL or llm_model in upheld.toml.",
        )
    if settings.judge and settings.llm_url is None and settings.checker_url is None:
        raise _nobody_to_judge()


def _nobody_to_judge() -> SettingsError:
    return SettingsError(
        "The judge is switched on, but there is no language model to ask.",
        help="Set llm_url and llm_model (in `upheld ask`: --llm URL and --model NAME), or "
        "leave out the judge.",
    )


def open_llm(settings: Settings) -> LLM | None:
    """Open the language model; without one None, and answers are quotes.

    Raises `SettingsError` if only one of `llm_url` and `llm_model` is set.
    """
    check_settings(settings)
    if settings.llm_url is None or settings.llm_model is None:
        return None
    return _open_llm(settings, settings.llm_url, settings.llm_model, settings.llm_api_key)


def open_seat(settings: Settings, seat: Literal["planner", "checker"]) -> LLM | None:
    """Open the model that plans or judges; None if the settings name none of its own.

    Raises `SettingsError` if its server or its name is missing.
    """
    url, model, key = (getattr(settings, f"{seat}_{part}") for part in ("url", "model", "api_key"))
    if url is None and model is None:
        return None
    if model is None or (url is None and settings.llm_url is None):
        missing = "model" if model is None else "url"
        raise SettingsError(
            f"The {seat} is set, but not its {missing}.",
            help=f"Set {seat}_{missing}, or leave out the other settings of the {seat}.",
        )
    if url is None:
        url, key = settings.llm_url, key or settings.llm_api_key
    return _open_llm(settings, url, model, key)


def _open_llm(settings: Settings, url: str, model: str, api_key: SecretStr | None) -> LLM:
    from upheld.edge.openai.llm import OpenAILLM

    llm = OpenAILLM(
        base_url=url,
        model=model,
        api_key=api_key,
        concurrency=settings.llm_concurrency,
        timeout=settings.llm_timeout,
    )
    return _cached(llm, settings)


def _cached(llm: LLM, settings: Settings) -> LLM:
    """Wrap the language model with a cache of its replies, if the settings name a folder."""
    if settings.call_cache is None:
        return llm
    from upheld.edge.call_cache import CachedLLM

    return CachedLLM(llm, settings.call_cache, tenant=f"{settings.kb} {settings.collection}")


def open_verify(settings: Settings) -> Verify:
    """Open the verifier with its model; without one, only exact quotes are supported.

    A model that cannot be opened does not raise: the reason is shown in verdicts.
    """
    if not settings.local_models or not has_local_models():
        return Verify(model=None)
    try:
        from upheld.edge.onnx.cross_encoder import LocalEntailment
        from upheld_verifier import verifier_fit, verifier_model, verifier_tokenizer

        threads = settings.threads or None
        model = LocalEntailment(verifier_model(), verifier_tokenizer(), threads=threads)
        decide = fitted(verifier_fit().read_text(encoding="utf-8"), model.identity)
    except (UpheldError, ImportError, OSError) as error:
        reason = str(error).partition("\n")[0]
        return Verify(model=None, no_model=f"the verifier cannot be opened: {reason}")
    return Verify(model=model, decide=decide)


def open_grade(settings: Settings) -> Grade:
    """Open the grader with its fitted thresholds; without it, passages are not graded."""
    if settings.local_models and has_local_models():
        try:
            return load_grade(settings)
        except (UpheldError, ImportError, OSError):
            pass  # every answer is marked degraded, and `upheld doctor` shows the error
    return Grade(grader=None, upper=1.0, lower=-1.0)


def load_grade(settings: Settings) -> Grade:
    """Load the packaged grader; raise an error that says why it cannot be loaded."""
    from upheld.edge.onnx.cross_encoder import LocalGrader
    from upheld_models import grader_fit, grader_model, grader_tokenizer

    threads = settings.threads or None
    grader = LocalGrader(grader_model(), grader_tokenizer(), threads=threads)
    return fitted_grade(grader_fit(), grader)


@asynccontextmanager
async def opened_grader(folder: Path | None) -> AsyncIterator[Grader]:
    """Open the grader of a folder, or the packaged one; close it at the end."""
    from upheld.edge.onnx.cross_encoder import LocalGrader
    from upheld_models import grader_model, grader_tokenizer

    files = (grader_model(), grader_tokenizer())
    if folder is not None:
        files = (folder / "model.onnx", folder / "tokenizer.json")
    grader = LocalGrader(*files)
    try:
        yield grader
    finally:
        await grader.close()


def judge_stage(settings: Settings, llm: LLM | None, verify: Verify) -> JudgeUncertain | None:
    """Make the LLM judge for claims that the verifier is unsure of; None if it is disabled.

    Raises `SettingsError` if the judge is enabled without a language model.
    """
    if not settings.judge:
        return None
    if llm is None:
        raise _nobody_to_judge()
    return JudgeUncertain(llm=llm, band=band_around(verify.decide.supported_above))


def chunker(settings: Settings) -> Chunker:
    """Make the chunker; it counts tokens with the embedder's tokenizer, if there is one."""
    if not settings.local_models or not has_local_models():
        return Chunker()
    from upheld_models import embedder_tokenizer

    return Chunker.with_tokenizer(embedder_tokenizer())


def reader(settings: Settings) -> ReadWorker:
    """Make the reader of files, which runs in a child process with the limits of the settings."""
    return ReadWorker(
        Limits(
            file_bytes=settings.max_file_mb * 1_000_000,
            memory_bytes=settings.read_memory_mb * 1_000_000,
            seconds=settings.read_seconds,
        ),
        at_once=settings.jobs_at_once,
    )


def tracer() -> OtelTracer | None:
    """Return the application's OpenTelemetry tracer; None if it does not use OpenTelemetry."""
    otel = sys.modules.get("opentelemetry.trace")
    return None if otel is None else otel.get_tracer("upheld")


def pipeline(method: str, parts: Resources) -> str:
    """Return the name of the pipeline: the method, settings and models that make the scores.

    A guarantee holds for one pipeline only.
    """
    checked_by = "quotes only"
    if (model := parts.verify.model) is not None:
        # The same model gives other probabilities with another fit.
        checked_by = f"{model.identity}, fit {parts.verify.decide.fingerprint}"
    graded = () if parts.grade.grader is None else (parts.grade.grader.identity,)
    judged = () if parts.judge is None else ("judge",)  # its model is named in the setup
    own = () if parts.searcher is None else (f"found by {type(parts.searcher).__qualname__}",)
    return " | ".join((method, parts.settings.setup, *own, *graded, checked_by, *judged))
