"""`upheld doctor`: which parts are here, which are not, and what to do about it."""

from __future__ import annotations

import asyncio
import importlib
import importlib.metadata
import platform
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import typer
from rich.text import Text

import upheld
from upheld.cli import options, show
from upheld.errors import UpheldError, UsageError
from upheld.ports import Message, Pair, QueryPassagePair, Sampling
from upheld.prompts.card import read_card
from upheld.resources.open import (
    Resources,
    has_local_models,
    load_grade,
    open_embedder,
    open_llm,
    open_resources,
    open_verify,
)
from upheld.run.trace import start_run
from upheld.settings import Settings, load_settings
from upheld.types import Question, Scope

LOCAL = "pip install 'upheld[local]'"
AGAIN = "pip install --force-reinstall"


@dataclass(frozen=True, slots=True)
class Check:
    """One part: is it fine, what was seen, and what helps if it is not."""

    part: str
    ok: bool
    seen: str
    help: str = ""
    needed: bool = True  # a missing optional part is told, but is no failure


def doctor(
    kb: options.Kb = None,
    llm: options.LlmUrl = None,
    model: options.LlmModel = None,
    as_json: options.Json = False,
) -> None:
    """Check every part of this installation and say what is missing.

    Examples:

        upheld doctor

        upheld doctor --llm http://127.0.0.1:8000/v1 --model qwen2.5
    """
    settings = load_settings(kb=kb, llm_url=llm, llm_model=model)
    checks = asyncio.run(examine(settings))
    healthy = all(check.ok or not check.needed for check in checks)
    if as_json:
        show.print_json({"healthy": healthy, "checks": checks})
    else:
        for line in _lines(checks):
            show.out.print(line, soft_wrap=True)  # names of models are there to be copied
    raise typer.Exit(0 if healthy else 1)


async def examine(settings: Settings) -> list[Check]:
    """Look at each part for real: load it, ask it, open it."""
    return [
        Check("upheld", True, f"{upheld.__version__}, Python {platform.python_version()}"),
        Check("engine", True, f"lancedb {importlib.metadata.version('lancedb')}"),
        await _embedder(settings),
        await _grader(settings),
        await _verifier(settings),
        _readers(),
        await _knowledge_base(settings),
        *(
            [await _fallback_search(settings, settings.fallback_search)]
            if settings.fallback_search
            else []
        ),
        await _llm(settings),
        *map(_model_card, settings.model_cards),
    ]


async def _embedder(settings: Settings) -> Check:
    if not has_local_models():
        return Check(
            "embedder",
            False,
            "not installed: search is by words only (BM25)",
            LOCAL,
            needed=False,
        )
    embedder = open_embedder(settings)
    if embedder is None:
        return Check("embedder", True, "switched off by the settings: search is by words only")
    try:
        await embedder.embed(["a test"])
        return Check("embedder", True, f"{embedder.identity}, {embedder.dimension} dimensions")
    except UpheldError as error:
        return Check("embedder", False, error.args[0], error.help)
    finally:
        await embedder.close()


async def _grader(settings: Settings) -> Check:
    instead = "passages are in search order"
    if not has_local_models():
        seen = f"not installed: {instead}"
        return Check("grader", False, seen, LOCAL, needed=False)
    if not settings.local_models:
        return Check("grader", True, f"switched off by the settings: {instead}")
    try:
        grader = load_grade(settings).grader
        assert grader is not None, "it was loaded"
        try:
            await grader.grade([QueryPassagePair("When does it open?", "The tower opens at nine.")])
        finally:
            await grader.close()
    except (UpheldError, ImportError, OSError) as error:
        return Check("grader", False, f"{error.args[0]}; {instead}", f"{AGAIN} upheld-models")
    return Check("grader", True, grader.identity)


async def _verifier(settings: Settings) -> Check:
    quotes = "only exact quotes are supported"
    if not has_local_models():
        seen = f"not installed: {quotes}"
        return Check("verifier", False, seen, LOCAL, needed=False)
    if not settings.local_models:
        return Check("verifier", True, f"switched off by the settings: {quotes}")
    verify = open_verify(settings)
    if verify.model is None:
        return Check("verifier", False, f"{verify.no_model}; {quotes}", f"{AGAIN} upheld-verifier")
    from upheld_verifier import verifier_model

    try:
        await verify.model.judge([Pair("The tower opens at nine.", "It opens in the morning.")])
        megabytes = verifier_model().stat().st_size / 1_000_000
        return Check("verifier", True, f"{verify.model.identity}, {megabytes:.0f} MB")
    except UpheldError as error:
        return Check("verifier", False, error.args[0], error.help or f"{AGAIN} upheld-verifier")
    finally:
        await verify.model.close()


def _readers() -> Check:
    packages = {"pypdfium2": "PDF", "trafilatura": "HTML", "markitdown": "office and EPUB"}
    missing = []
    for package, kind in packages.items():
        try:
            importlib.import_module(package)
        except ImportError as error:
            missing.append(f"{kind} ({error})")
    if missing:
        seen = f"not {', '.join(missing)}"
        return Check("readers", False, seen, "pip install 'upheld[readers]'", needed=False)
    return Check("readers", True, "text, Markdown, PDF, HTML, DOCX, PPTX, XLSX, EPUB")


async def _knowledge_base(settings: Settings) -> Check:
    try:
        async with _opened(settings) as parts:
            held = await parts.index.statistics(settings.collection)
    except UpheldError as error:
        return Check("knowledge base", False, f"{settings.kb}: {error.args[0]}", error.help)
    seen = f"{settings.kb}: {held.documents} documents, {held.passages} passages"
    if not held.documents:
        return Check("knowledge base", False, seen, "upheld index PATH --kb KB", needed=False)
    return Check("knowledge base", True, seen)


async def _fallback_search(settings: Settings, place: str) -> Check:
    try:
        async with _opened(settings) as parts:
            assert parts.fallback_search is not None, "a place is set"
            if place.startswith(("http://", "https://")):
                with start_run():
                    found = await parts.fallback_search.under(Scope())(Question("a test"))
                seen = f"{_without_secrets(place)}: {len(found)} passages for a test"
                return Check("fallback search", True, seen)
            held = await parts.index.statistics(place)
    except UpheldError as error:
        seen = f"{_without_secrets(place)}: {error.args[0]}"
        return Check("fallback search", False, seen, error.help)
    seen = f"collection {place}: {held.documents} documents"
    help = "" if held.documents else f"upheld index PATH --kb {settings.kb} --collection {place}"
    return Check("fallback search", bool(held.documents), seen, help)


def _without_secrets(place: str) -> str:
    """A URL, or the name of a collection: what is shown here is often shown to others."""
    parts = urlsplit(place)
    query = "&".join(f"{name}=…" for name, _ in parse_qsl(parts.query, keep_blank_values=True))
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query=query).geturl()


@asynccontextmanager
async def _opened(settings: Settings) -> AsyncIterator[Resources]:
    """Without language models: that of `llm_url` has a check of its own."""
    seats = [f"{seat}_{part}" for seat in ("planner", "checker") for part in ("url", "model")]
    without = {"judge": False, **dict.fromkeys(["llm_url", "llm_model", *seats])}
    parts = await open_resources(settings.model_copy(update=without))
    try:
        yield parts
    finally:
        await parts.close()


async def _llm(settings: Settings) -> Check:
    if settings.llm_url is None:
        seen = "none set: answers are verbatim quotes"
        return Check("language model", False, seen, "--llm URL --model NAME", needed=False)
    try:
        llm = open_llm(settings)
        assert llm is not None, "a URL is set"
        try:
            async for _ in llm.stream([Message("user", "Say yes.")], Sampling(max_tokens=4)):
                break
        finally:
            await llm.close()
    except UpheldError as error:
        return Check("language model", False, error.args[0], error.help)
    return Check("language model", True, llm.identity)


def _model_card(path: Path) -> Check:
    """A trained model knows the prompts that it was trained on, word by word."""
    try:
        card = read_card(path)
    except UsageError as error:
        return Check("model card", False, error.args[0])
    if changed := card.changed_prompts:
        seen = f"{card.name} was trained on other words of: {', '.join(changed)}"
        help = f"Train it again, or use upheld {card.upheld}, which made it."
        return Check("model card", False, seen, help, needed=False)
    return Check("model card", True, f"{card.name}, trained on the prompts of this version")


def _lines(checks: list[Check]) -> Iterator[Text]:
    """A part to a line, and under it what helps."""
    width = max(len(check.part) for check in checks)
    for check in checks:
        sign = ("✓", "green") if check.ok else (("✗", "red") if check.needed else ("–", "yellow"))
        yield Text.assemble(sign, "  ", (check.part.ljust(width), "bold"), "  ", check.seen)
        if check.help:
            yield Text(f"{' ' * (width + 5)}{check.help}", "dim")
