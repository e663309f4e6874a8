"""Outcomes become scores: as they come, or once more from a run that is kept."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from upheld._internal.to_json import to_json
from upheld.edge.onnx.cross_encoder import LocalEntailment
from upheld.errors import NotFoundError
from upheld.ports import Entailment
from upheld_lab.bench.judgements import KeptJudgements
from upheld_lab.bench.report import Watch
from upheld_lab.bench.runs.records import Outcome, Scored
from upheld_lab.bench.runs.store import RunFolder
from upheld_lab.bench.scores.all_scores import score
from upheld_lab.bench.scores.cost import Prices
from upheld_lab.bench.suites.suite import Asked

MODEL, TOKENIZER = "model.onnx", "tokenizer.json"


@dataclass(frozen=True, slots=True)
class Judges:
    """Who scores: the bench's own model, the verifier that the methods use, and prices."""

    scorer: Entailment | None = None
    verifier: Entailment | None = None
    prices: Prices | None = None

    @property
    def facts(self) -> dict[str, Any]:
        """What the scores depend on, for the manifest."""
        return {
            "scorer": self.scorer.identity if self.scorer else None,
            "verifier": self.verifier.identity if self.verifier else None,
            "prices": to_json(self.prices),
        }

    async def __call__(self, asked: Asked, outcome: Outcome) -> Scored:
        scores = await score(asked, outcome, self.scorer, self.verifier, self.prices)
        return Scored(asked.id, asked.set, outcome.variant, scores)


@asynccontextmanager
async def open_judges(
    scorer: Path | None, verifier: Entailment | None, prices: Prices | None, cache: Path
) -> AsyncIterator[Judges]:
    """Judges whose judgements are kept: to score again is quick. The verifier is closed, too."""
    file = cache / "judgements.sqlite"
    own = None if scorer is None else KeptJudgements(load_scorer(scorer), file)
    methods = None if verifier is None else KeptJudgements(verifier, file)
    try:
        yield Judges(own, methods, prices)
    finally:
        for judge in (own, methods):
            if judge is not None:
                await judge.close()


def load_scorer(folder: Path) -> Entailment:
    """The bench's own entailment model."""
    need_scorer(folder)
    return LocalEntailment(folder / MODEL, folder / TOKENIZER, name="upheld-scorer-int8")


def need_scorer(folder: Path) -> None:
    """Refuse a folder without a scorer."""
    for name in (MODEL, TOKENIZER):
        if not (folder / name).is_file():
            raise NotFoundError(
                f"There is no {name} in {folder}.",
                help=f"--scorer is a folder with {MODEL} and {TOKENIZER}.",
            )


async def score_again(folder: RunFolder, judges: Judges, watch: Watch) -> int:
    """Replace all scores of a run by those of these judges; how many there are."""
    manifest = folder.manifest()
    questions = {asked.id: asked for asked in folder.questions()}
    outcomes = folder.outcomes()
    scored = []
    for done, outcome in enumerate(outcomes, start=1):
        scored.append(await judges(questions[outcome.question], outcome))
        watch("scoring", done, len(outcomes))
    folder.replace_scored(scored)
    folder.keep_manifest({**manifest, "scored_by": judges.facts})
    return len(scored)
