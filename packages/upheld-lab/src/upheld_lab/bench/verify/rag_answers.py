"""Answers of language models whose sentences people marked (RAGTruth, questions and answers).

Sentence by sentence as everywhere; and answer by answer, as others publish it: an answer counts as
flagged if one of its sentences scores below a threshold, which is chosen on the training side.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from upheld.verification.decide import Decide
from upheld.verification.verify import Verify
from upheld_lab.bench.pack import lot, rows
from upheld_lab.bench.report import Row, Watch
from upheld_lab.bench.verify.figures import auc
from upheld_lab.bench.verify.labels import Label
from upheld_lab.bench.verify.read import Seen, see
from upheld_lab.bench.verify.run import Measured
from upheld_lab.bench.verify.sets import Case

SET = "ragtruth_qa"
LABELS = {"entails": Label.ENTAILS, "contradicts": Label.CONTRADICTS, "neutral": Label.NEUTRAL}
TEST_ANSWERS, TRAIN_ANSWERS = 150, 40


@dataclass(frozen=True, slots=True)
class RagAnswer:
    """The sentences of one answer; it is wrong if people marked one of them."""

    sentences: tuple[Case, ...]

    @property
    def wrong(self) -> bool:
        return any(not case.label.supported for case in self.sentences)


@dataclass(frozen=True, slots=True)
class SeenAnswers:
    """Answers, and what the stage found about their sentences."""

    answers: Sequence[RagAnswer]
    sentences: Sequence[Sequence[Seen]]

    def weakest(self, decide: Decide) -> list[float]:
        """The lowest score of a sentence of each answer; sentences without a check do not count."""
        return [
            min((one.probability(decide) for one in some if one.checked), default=1.0)
            for some in self.sentences
        ]

    def measured(self, decide: Decide) -> Measured:
        """All sentences that were checked, as a set."""
        seen = [one for some in self.sentences for one in some if one.checked]
        return Measured(seen, [one.probability(decide) for one in seen], 0, 0.0)


def load_answers(data: Path, part: str, limit: int) -> list[RagAnswer]:
    """Answers of one side, drawn by lot, first one to each question.

    The guarantee counts one claim of a question, so another answer to it would add nothing. In the
    file the sentences of an answer follow it.
    """
    found: list[list[Case]] = []
    for row in rows(data / "g_grounded" / f"{part}.jsonl.gz"):
        if row["source"] != SET:
            continue
        if row["kind"] == "rag_response":
            found.append([])
            continue
        before = found[-1][-1].claim if found[-1] else ""
        passages = tuple(("", text) for text in row["premise"])
        label, asked = LABELS[row["label"]], row["question"] or ""
        found[-1].append(Case(SET, row["claim"], passages, label, row["group"], asked, before))
    answers = [RagAnswer(tuple(some)) for some in found if some]
    answers.sort(key=lambda each: lot("answers", "".join(case.claim for case in each.sentences)))
    known = Counter[str]()
    turns = list[int]()
    for answer in answers:
        question = answer.sentences[0].document
        turns.append(known[question])
        known[question] += 1
    by_turn = sorted(range(len(answers)), key=turns.__getitem__)
    return [answers[place] for place in by_turn[:limit]]


async def see_answers(
    verify: Verify, data: Path, part: str, limit: int, watch: Watch
) -> SeenAnswers:
    """Run the stage over the sentences of answers."""
    answers = load_answers(data, part, limit)
    every = [case for answer in answers for case in answer.sentences]
    seen = iter(await see(verify, every, watch, f"{SET}, {part}"))
    return SeenAnswers(answers, [[next(seen) for _ in answer.sentences] for answer in answers])


def rag_rows(
    train: SeenAnswers, test: SeenAnswers, decide: Decide
) -> tuple[dict[str, float], list[Row]]:
    """How well wrong sentences and wrong answers are found, beside shared words."""
    sentences = test.measured(decide)
    wrong = [answer.wrong for answer in test.answers]
    known, bad = train.weakest(decide), [answer.wrong for answer in train.answers]
    above = max(sorted(set(known)), key=lambda each: f1(_flags(known, each), bad))
    weakest = test.weakest(decide)
    ours = f1(_flags(weakest, above), wrong)
    overlap = [min(one.overlap for one in some) for some in test.sentences]
    row = {
        "answers of": SET,
        "sentences": len(sentences.seen),
        "supported": sum(sentences.supported) / len(sentences.seen),
        "sentence auc": auc(sentences.scores, sentences.supported),
        "overlap auc": auc([one.overlap for one in sentences.seen], sentences.supported),
        **_kept(sentences, decide.supported_above),
        "answers": len(wrong),
        "wrong": sum(wrong) / len(wrong),
        "threshold": above,
        "answer f1": ours,
        "answer f1 by verdicts": f1(_flags(weakest, decide.supported_above), wrong),
        "answer f1 of overlap": max(f1(_flags(overlap, each), wrong) for each in set(overlap)),
        "all flagged f1": f1([True] * len(wrong), wrong),
    }
    return {"ragtruth_qa_f1": ours, "ragtruth_qa_auc": row["sentence auc"]}, [row]


def _kept(sentences: Measured, above: float) -> Row:
    """What `keep_supported` shows, and how much of that people marked as wrong."""
    scored = zip(sentences.scores, sentences.supported, strict=True)
    kept = [supported for score, supported in scored if score >= above]
    return {
        "kept": len(kept) / len(sentences.seen),
        "wrong among kept": 1 - sum(kept) / len(kept) if kept else 0.0,
    }


def _flags(weakest: Sequence[float], above: float) -> list[bool]:
    return [score < above for score in weakest]


def f1(flagged: Sequence[bool], wrong: Sequence[bool]) -> float:
    """F1 of finding what is wrong.

    >>> f1([True, True, False], [True, False, False])
    0.6666666666666666
    """
    right = sum(flag and bad for flag, bad in zip(flagged, wrong, strict=True))
    total = sum(flagged) + sum(wrong)
    return 2 * right / total if total else 0.0
