"""All pairs that train a model, by its recipe, without leaks, counted."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from types import MappingProxyType

from upheld_lab.bench.pack import lot
from upheld_lab.training.verifier import facts, sources
from upheld_lab.training.verifier.backtranslate import paraphrases
from upheld_lab.training.verifier.business_texts import business_pairs
from upheld_lab.training.verifier.frames import KINDS as FRAMED
from upheld_lab.training.verifier.grounded import grounded
from upheld_lab.training.verifier.leaks import TestTexts, all_test_texts, sharing, without_leaks
from upheld_lab.training.verifier.minimal_pairs import Twin, as_pairs, minimal_pairs, table_pairs
from upheld_lab.training.verifier.pairs import Pair, is_marked, whole_twins
from upheld_lab.training.verifier.questions import asked_of_science, asked_of_wikipedia
from upheld_lab.training.verifier.sound import sound
from upheld_lab.training.verifier.synthetic import synthetic


@dataclass(frozen=True, slots=True)
class Diet:
    """What a model is fed; the verifier and the scorer that grades it share no source."""

    name: str
    nli: tuple[str, ...]
    people: bool  # SciFact and the training halves of WiCE, ExpertQA and BEGIN
    wikipedia: int  # facts; about three pairs each
    science: int
    questions: int  # about two pairs each
    share: Mapping[str, float]  # of a source that would drown the others
    grounded: bool = False  # sentences of RAG answers and other rows that people marked
    ragtruth: bool = False  # among them those on passages of MS MARCO, given for research only
    twins: int = 0  # minimal pairs; two rows each
    frames: bool = True  # twins on what a text denies, attributes or makes depend on something
    several_premises: bool = True  # rows with more than one passage


VERIFIER = Diet(
    "verifier",
    ("snli", "cf-snli", "fever-nli", "fool-me-twice"),
    True,
    wikipedia=0,  # minimal pairs take their place
    science=2_200,
    questions=9_000,
    share=MappingProxyType({"snli": 0.35, "fever-nli": 0.8, "scifact": 0.8}),
    grounded=True,
    twins=165_000,
)
SCORER = Diet("scorer", ("mnli", "summedits"), False, 3_500, 0, 0, MappingProxyType({}))
DIETS = {diet.name: diet for diet in (VERIFIER, SCORER)}


_BUSINESS = 0.22  # of the twins are about documents of our own grammar
_MOST = 0.08  # of the twins are of one kind


@dataclass(frozen=True, slots=True)
class Fed:
    """The pairs, and what was counted on the way."""

    pairs: list[Pair]
    kept: dict[str, int]
    dropped: dict[str, int]  # premise or claim in a test set
    sharing: dict[str, int]  # kept, though a sentence of the premise is in a test set


def feed(diet: Diet, data: Path, reworded: Path, seed: int = 0) -> Fed:
    """Read, make, drop what a test set holds, shuffle."""
    tests = all_test_texts(data)
    gathered: list[Pair] = [
        pair for pair in sources.nli(data, *diet.nli) if not _spared(pair, diet.share)
    ]
    if diet.people:
        gathered += [pair for pair in sources.scifact(data) if not _spared(pair, diet.share)]
        # Few and near to the use, so seen twice; the rest is general.
        gathered += [*sources.wice(data), *sources.dev_halves(data)] * 2
        gathered += asked_of_science(data)
    again = sound(paraphrases(reworded))
    wikipedia = facts.wikipedia(data, diet.name, diet.wikipedia, tests)
    science = facts.science(data, diet.science, tests)
    gathered += synthetic(wikipedia, again, "synthetic-wikipedia", seed)
    gathered += synthetic(science, again, "synthetic-science", seed)
    gathered += asked_of_wikipedia(data, diet.name, diet.questions, seed)
    if diet.grounded:
        gathered += grounded(data, ragtruth=diet.ragtruth)
    gathered += as_pairs(twins(diet, data, again, tests, seed))
    if not diet.several_premises:
        gathered = [pair for pair in gathered if not is_marked(pair.premise)]
    pairs, dropped = without_leaks(gathered, tests)
    pairs = whole_twins(pairs)
    if diet.twins:  # what people wrote and marked is seen twice, so that twins do not drown it
        pairs += [pair for pair in pairs if pair.twin < 0]
    random.Random(seed).shuffle(pairs)  # noqa: S311  (training data, no secret)
    counts = Counter(f"{pair.kind or pair.source}/{pair.label.name.lower()}" for pair in pairs)
    return Fed(pairs, _sorted(counts), _sorted(dropped), _sorted(sharing(pairs, tests)))


def twins(
    diet: Diet, data: Path, again: Mapping[str, str], tests: TestTexts, seed: int
) -> list[Twin]:
    """Minimal pairs from made-up documents, tables and prose, no kind far above the others.

    The first passages are used where fewer are wanted, so that their paraphrases are.
    """
    if not diet.twins:
        return []
    made = list(business_pairs(int(diet.twins * _BUSINESS), seed))
    made += table_pairs(list(facts.table_passages(data, diet.name)), seed)
    prose = minimal_pairs(list(facts.every_sentence(data, diet.name, tests)), again, seed)
    most, counts = int(diet.twins * _MOST), Counter[str]()
    kept = list[Twin]()
    for twin in chain(_spread(made, diet.twins), prose):
        if counts[twin.kind] < most and (diet.frames or twin.kind not in FRAMED):
            counts[twin.kind] += 1
            kept.append(twin)
        if len(kept) == diet.twins:
            break
    return kept


def _spread(made: list[Twin], wanted: int) -> list[Twin]:
    """Twins in an order of their own; as many of them as a small diet can take beside prose."""
    made.sort(key=lambda twin: lot("twins", twin.true_premise + twin.false_claim))
    return made[: wanted // 2]


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items()))


def _spared(pair: Pair, share: Mapping[str, float]) -> bool:
    return lot("share", pair.premise + pair.claim) >= share.get(pair.source, 1.0)
