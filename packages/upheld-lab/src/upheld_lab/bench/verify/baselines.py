"""What a verifier has to be better than: shared words, near vectors, a language model's word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from upheld.errors import UpheldError
from upheld.ports import LLM
from upheld.prompts import load as load_prompt
from upheld.run.trace import start_run
from upheld.text.sentences import sentence_spans
from upheld.text.windows import windows
from upheld.types import Passage, content_hash
from upheld.verification.llm_judge import Word, ask_judge
from upheld.verification.source import Source
from upheld_lab.bench.pack import lot
from upheld_lab.bench.report import Row, Watch
from upheld_lab.bench.vectors import VectorCache
from upheld_lab.bench.verify.figures import balanced_accuracy
from upheld_lab.bench.verify.run import Choice, Measured
from upheld_lab.bench.verify.sets import Case

WORDS = 120  # a window
SHORT = 110  # words of evidence that the language model is shown


async def cosines(cases: Sequence[Case], cache: VectorCache) -> list[float]:
    """The nearest window of a case's passages to its claim."""
    texts = [[case.claim, *_windows(case)] for case in cases]
    flat = list(dict.fromkeys(text for each in texts for text in each))
    vectors = dict(zip(flat, await cache.vectors(flat), strict=True))
    return [
        float(max(np.dot(vectors[claim], vectors[window]) for window in found))
        for claim, *found in texts
    ]


def _windows(case: Case) -> list[str]:
    found = []
    for title, text in case.passages:
        spans = sentence_spans(text) or [(0, len(text))]
        for first, last in windows([len(text[a:b].split()) for a, b in spans], WORDS):
            found.append(f"{title}\n{text[spans[first][0] : spans[last - 1][1]]}".strip())
    return found


@dataclass(frozen=True, slots=True)
class Judged:
    """Cases that a language model was asked about, and whether it called them supported."""

    cases: tuple[Case, ...]
    supported: tuple[bool, ...]
    failed: int


async def judged(llm: LLM, cases: Sequence[Case], count: int, watch: Watch, what: str) -> Judged:
    """The same cases in every run, with the sentences of their evidence that are nearest."""
    chosen = sorted(cases, key=lambda case: lot("judge", case.claim + case.passages[0][1][:80]))
    kept, said, failed = list[Case](), list[bool](), 0
    prompt = load_prompt("judge")
    for done, case in enumerate(chosen[:count], start=1):
        try:
            with start_run(None):
                [word] = await ask_judge(llm, prompt, [case.claim], _short(case))
        except UpheldError:
            failed += 1
        else:
            kept.append(case)
            said.append(word is Word.SUPPORTED)
        watch(what, done, min(count, len(chosen)))
    return Judged(tuple(kept), tuple(said), failed)


async def judge_row(
    name: str, found: Measured, above: float, llm: LLM, choice: Choice, watch: Watch
) -> Row:
    """The language model and the verifier on the same few cases."""
    asked = await judged(
        llm, [one.case for one in found.seen], choice.judged, watch, f"{name}: judge"
    )
    truth = [case.label.supported for case in asked.cases]
    ours = dict(zip((one.case for one in found.seen), found.scores, strict=True))
    scores = [ours[case] for case in asked.cases]
    return {
        "judge on": name,
        "cases": len(truth),
        "failed": asked.failed,
        "judge balanced accuracy": balanced_accuracy(
            [float(each) for each in asked.supported], truth, 0.5
        ),
        "verifier balanced accuracy": balanced_accuracy(scores, truth, above),
    }


def _short(case: Case) -> list[Passage]:
    share = SHORT // len(case.passages)
    found = []
    for number, (title, text) in enumerate(case.passages):
        passage = Passage(f"{number}", text, f"{number}", content_hash(text), 0, len(text), title)
        near = Source(passage).gathered(case.claim, max(share, 30), lambda part: len(part.split()))
        found.append(Passage(passage.id, near.text, passage.id, "", 0, len(near.text)))
    return found
