"""What a search finds for questions whose gold is known, for numbers that are fitted."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from upheld.methods.build import StageFactory
from upheld.methods.registry import parameters
from upheld.resources.open import open_resources
from upheld.run.trace import start_run
from upheld.settings import Settings
from upheld.types import Scope
from upheld_lab.bench.manifest import manifest
from upheld_lab.bench.report import Watch
from upheld_lab.bench.runs.kb import settings_for
from upheld_lab.bench.suites.suite import Asked, Suite

Read = TypeVar("Read")


async def read_each(
    suite: Suite,
    settings: Settings,
    cache: Path,
    watch: Watch,
    read: Callable[[StageFactory, Asked], Awaitable[Read]],
    *,
    unanswerable: bool = False,
) -> tuple[list[Read], dict[str, Any]]:
    """What is read for each question that has gold, in runs of their own, and the manifest.

    With `unanswerable`, also for those of which people noted that nothing answers them.
    """
    parts = await open_resources(await settings_for(suite, settings, cache, watch))
    stages = StageFactory(parts, Scope(parts.settings.collection), parameters("upheld", {}))
    asked = [
        each for each in suite.questions if each.gold or (unanswerable and each.answerable is False)
    ]
    found = []
    try:
        for done, each in enumerate(asked, start=1):
            with start_run():
                found.append(await read(stages, each))
            watch("reading passages", done, len(asked))
        models = _models(stages)
    finally:
        await parts.close()
    return found, manifest(
        suite=suite.name, data=dict(suite.hashes), questions=len(asked), models=models
    )


def _models(stages: StageFactory) -> dict[str, str | None]:
    embedder, grader = stages.resources.embedder, stages.resources.grade.grader
    return {
        "embedder": None if embedder is None else embedder.identity,
        "grader": None if grader is None else grader.identity,
    }
