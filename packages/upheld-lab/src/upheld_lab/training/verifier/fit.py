"""What belongs to a verifier's weights: pooling and thresholds, fitted on dev files."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from upheld.edge.onnx.cross_encoder import LocalEntailment
from upheld.edge.onnx.embedder import LocalEmbedder
from upheld.verification.decide import Decide
from upheld.verification.verify import Verify
from upheld_lab.bench.judgements import KeptJudgements
from upheld_lab.bench.pack import lot
from upheld_lab.bench.report import Watch
from upheld_lab.bench.split import Split
from upheld_lab.bench.verify.challenge import Half, read_twins
from upheld_lab.bench.verify.figures import auc
from upheld_lab.bench.verify.fit import fit
from upheld_lab.bench.verify.labels import Label
from upheld_lab.bench.verify.read import Seen, see
from upheld_lab.bench.verify.sets import CALIBRATION_SETS, Case, load
from upheld_lab.training.verifier.business_texts import business_pairs
from upheld_lab.training.verifier.data import VERIFIER, feed
from upheld_lab.training.verifier.leaks import normalised
from upheld_lab.training.verifier.minimal_pairs import as_pairs
from upheld_lab.training.verifier.pairs import is_marked
from upheld_lab.training.verifier.questions import asked_of_wikipedia

_NUMBER = re.compile(r"(?:^|\n)\[\d\] ")
MOST = 400  # cases a set: enough for eight weights
QUESTIONS = "questions_dev"  # irrelevant and half-right evidence, as a search brings it


CHALLENGE = "challenge_dev"
BUSINESS = "business_twins"
_BUSINESS_TWINS = 520
_BUSINESS_SEED = 7  # another one than that of the training data


async def fit_verifier(
    folder: Path,
    data: Path,
    cache: Path,
    watch: Watch,
    *,
    challenge: Path | None = None,
) -> dict[str, Any]:
    """Fit for the model in a folder, and write `fit.json` beside it.

    `challenge` is the folder of twins whose dev half is fitted on, with twins on made-up documents.
    """
    model = LocalEntailment(folder / "model.onnx", folder / "tokenizer.json")
    kept = KeptJudgements(model, cache / "judgements.sqlite")
    embedder = LocalEmbedder()  # as in use: it chooses the windows of long sources
    verify = Verify(model=kept, embedder=embedder)
    try:
        twins = {} if challenge is None else twin_cases(challenge)
        seen = {
            name: await see(verify, cases, watch, name)
            for name, cases in {**calibration_cases(data), **twins}.items()
        }
    finally:
        await kept.close()
        await embedder.close()
    decide = fit(seen, half=twins)
    found = {
        "verifier": model.identity,
        "aggregate": asdict(decide.aggregate),
        "supported_above": decide.supported_above,
        "fitted_on": {name: len(cases) for name, cases in seen.items()},
    }
    (folder / "fit.json").write_text(json.dumps(found, indent=2) + "\n")
    return {**found, "auc": _aucs(seen, decide)}


def calibration_cases(data: Path) -> dict[str, Sequence[Case]]:
    """The calibration halves of dev files, and questions of dev-side articles as claims."""
    seen = _trained_on(data)
    sets = {
        name: _some([case for case in load(name, data) if not _known(case, seen)])
        for name in CALIBRATION_SETS
    }
    asked = asked_of_wikipedia(data, "verifier", 10_000, seed=0, side=Split.DEV)
    sets[QUESTIONS] = _some(
        [
            Case(QUESTIONS, pair.claim, (("", pair.premise),), pair.label, pair.document)
            for pair in asked
            if "?" not in pair.claim  # the stage would take question and answer apart
        ]
    )
    return sets


def twin_cases(challenge: Path) -> dict[str, Sequence[Case]]:
    """Twins as cases: the dev half of the challenge, and made-up documents."""
    dev = [
        Case(CHALLENGE, claim, passages, label, ",".join(source.id for source in twin.sources))
        for twin in read_twins(challenge, Half.DEV)
        for passages in [tuple((source.title, source.text) for source in twin.sources)]
        for claim, label in ((twin.true, Label.ENTAILS), (twin.false, Label.NOT_ENTAILED))
    ]
    made = [
        Case(BUSINESS, pair.claim, _passages(pair.premise), pair.label, pair.document)
        for pair in as_pairs(list(business_pairs(_BUSINESS_TWINS, _BUSINESS_SEED)))
    ]
    return {CHALLENGE: dev, BUSINESS: made}


def _passages(premise: str) -> tuple[tuple[str, str], ...]:
    """The passages of a premise, which are numbered if there are several."""
    parts = _NUMBER.split(premise) if is_marked(premise) else [premise]
    return tuple(("", part.strip()) for part in parts if part.strip())


def _trained_on(data: Path) -> frozenset[str]:
    """Claims and premises that trained, normalised: scores of those would be too good."""
    fed = feed(VERIFIER, data, data / "no paraphrases")  # rewordings are in no dev file
    return frozenset(normalised(text) for pair in fed.pairs for text in (pair.premise, pair.claim))


def _known(case: Case, seen: frozenset[str]) -> bool:
    parts = [case.claim, *(f"{title}\n{text}" for title, text in case.passages)]
    return any(normalised(part) in seen for part in parts)


def _some(cases: Sequence[Case]) -> Sequence[Case]:
    return sorted(cases, key=lambda case: lot("calibrate", case.claim + case.document))[:MOST]


def _aucs(sets: Mapping[str, Sequence[Seen]], decide: Decide) -> dict[str, float]:
    return {
        name: round(auc([s.probability(decide) for s in seen], [s.supported for s in seen]), 3)
        for name, seen in sets.items()
    }
