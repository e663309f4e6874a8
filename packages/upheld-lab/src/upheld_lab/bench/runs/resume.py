"""What a run depends on, and whether a run that was interrupted may go on with it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from upheld._internal.deprecated import SETTINGS as SETTING_NAMES
from upheld._internal.to_json import to_json
from upheld.errors import UsageError
from upheld.resources.open import Resources
from upheld.types import Scope, content_hash
from upheld_lab.bench.manifest import manifest
from upheld_lab.bench.runs.scoring import Judges
from upheld_lab.bench.runs.store import RunFolder
from upheld_lab.bench.suites.suite import Asked

# Of the settings, those that change answers or their times; none of them names a place.
# A call that takes longer than `llm_timeout` ends the run, so that it may go on with another.
SETTINGS = (
    "search",
    "passages",
    "answer_tokens",
    "fallback_search",
    "local_models",
    "threads",
    "llm_concurrency",
    "judge",
)
SAME = (
    "suite",
    "split",
    "seed",
    "variants",
    "data",
    "corpus",
    "models",
    "llm",
    "settings",
    "scored_by",
    "shared",
)
SITTING = ("commit", "date", "command", "machine", "versions")
Facts = Mapping[str, Any]


async def facts(parts: Resources, judges: Judges, **chosen: Any) -> Facts:
    """Everything that the figures depend on: what was `chosen`, and what was opened for it."""
    grader, verifier = parts.grade.grader, parts.verify.model
    told = manifest(
        **chosen,
        corpus=await corpus_hash(parts),
        models={
            "embedder": parts.embedder.identity if parts.embedder else None,
            "grader": grader.identity if grader else None,
            "verifier": verifier.identity if verifier else None,
            **_seats(parts),
        },
        llm=parts.llm.identity if parts.llm else None,
        settings={name: getattr(parts.settings, name) for name in SETTINGS},
        scored_by=judges.facts,
    )
    as_kept: Facts = json.loads(json.dumps(to_json(told)))
    return as_kept


def _seats(parts: Resources) -> dict[str, Any]:
    """The models that plan and judge beside the writer, and what a judgment weighs, if any."""
    weights = parts.judgment.model_dump() if parts.judgment else None
    seats = {"planner": parts.planner, "checker": parts.checker}
    found = {name: model.identity for name, model in seats.items() if model is not None}
    return found if weights is None else found | {"judgment": weights}


async def corpus_hash(parts: Resources) -> str:
    """The hash of what is searched; refuses a collection in which there is nothing."""
    kb, collection = parts.settings.kb, parts.settings.collection
    documents = await parts.index.documents(Scope(collection))
    if not documents:
        raise UsageError(
            f"There are no documents in {kb}, collection {collection}.",
            help=f"Index some first: upheld index PATH --kb {kb}",
        )
    return content_hash("\0".join(sorted(f"{each.id} {each.version}" for each in documents)))


def begin(folder: RunFolder, now: Facts, questions: Sequence[Asked]) -> None:
    """A new run, or one that goes on; raises UsageError where it would be another run."""
    if not folder.begun:
        folder.keep_facts({**now, "resumed": []}, questions)
        return
    before = _named_as_now(folder.manifest())
    differ = [told for name in SAME for told in _differences(name, before.get(name), now[name])]
    if differ:
        raise UsageError(
            f"{folder.path} holds another run: {'; '.join(differ)}.",
            help="Give the options of that run again, or another folder with --out.",
        )
    asked = folder.questions()
    if asked != list(questions[: len(asked)]):
        raise UsageError(
            f"{folder.path} holds a run of {len(asked)} questions that these do not begin with.",
            help="A run can be made longer with --limit, not shorter.",
        )
    folder.cut_torn_lines()
    sitting = {name: now[name] for name in SITTING}
    longer = {"limit": now["limit"], "parallel": now["parallel"]}
    folder.keep_facts({**before, **longer, "resumed": [*before["resumed"], sitting]}, questions)


def _named_as_now(before: dict[str, Any]) -> dict[str, Any]:
    """The manifest of a run; one of 0.1 has other names for some settings."""
    settings = {SETTING_NAMES.get(name, name): value for name, value in before["settings"].items()}
    return {**before, "settings": settings}


def _differences(name: str, before: Any, now: Any) -> list[str]:
    if isinstance(before, dict) and isinstance(now, dict):
        names = dict.fromkeys((*before, *now))
        return [
            told
            for each in names
            for told in _differences(f"{name}.{each}", before.get(each), now.get(each))
        ]
    return [] if before == now else [f"{name} was {before}, now {now}"]
