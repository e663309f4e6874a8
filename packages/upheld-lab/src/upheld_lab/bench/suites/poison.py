"""The suite `poison`: questions of nq with five passages each that PoisonedRAG planted.

There are 85 in the pack. On test all are asked, whatever their side: no falsehood was ever trained
or fitted on. But the grader was trained on the gold of those on the train side (43), and thresholds
were fitted with those of dev (20), so that it knows their gold better than it would a stranger's.
On dev only those of dev are asked. Where the planted answer stands in a right one (one question),
it is no falsehood: that question is asked with nothing planted.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from upheld.types import Passage
from upheld_lab.bench.corpus import BenchQuestion, load
from upheld_lab.bench.metrics import normalise
from upheld_lab.bench.split import Split
from upheld_lab.bench.suites.draw import Candidate, Draw
from upheld_lab.bench.suites.files import hashes_of, pack_file, passage, whole
from upheld_lab.bench.suites.noted import candidate, corpus_hashes, falsehoods
from upheld_lab.bench.suites.suite import Suite

FILE = "d_robustness/poisonedrag_adv_nq.json.gz"


def load_poison(data: Path, draw: Draw) -> Suite:
    """Passages of the corpus, and beside them those planted for the questions that are asked."""
    corpus, file = load(data), pack_file(data, FILE)
    attacks = {normalise(each["question"]): each for each in whole(file).values()}
    found, planted = [], dict[str, Passage]()
    for question in corpus.questions["nq"]:
        if attack := attacks.get(normalise(question.text)):
            texts = [passage("poison", text) for text in attack["adv_texts"]]
            planted |= {each.id: each for each in texts}
            found.append(_poisoned(question, attack["incorrect answer"], texts, draw.split))
    hashes = {**corpus_hashes(corpus, ["nq"]), **hashes_of([file])}
    clean = draw.suite("poison", [draw.order(found)], corpus.passages, hashes)
    chosen = [planted[id] for each in clean.questions for id in sorted(each.false_passages)]
    return replace(clean, passages=(*clean.passages, *chosen))


def _poisoned(
    question: BenchQuestion, false_answer: str, texts: list[Passage], wanted: Split
) -> Candidate:
    clean = candidate(question)
    split = Split.TEST if wanted is Split.TEST else clean.split
    false_answers = falsehoods([false_answer], question.answers)
    if not false_answers:
        return replace(clean, split=split)
    false_passages = frozenset(each.id for each in texts)
    asked = replace(clean.asked, false_answers=false_answers, false_passages=false_passages)
    return replace(clean, asked=asked, split=split)
