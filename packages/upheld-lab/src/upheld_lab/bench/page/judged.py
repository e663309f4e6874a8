"""What a model said of a run's answers, as figures that never stand without its name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace

from upheld_lab.bench.page.columns import JUDGE, Column
from upheld_lab.bench.runs.records import Judged, Scores
from upheld_lab.bench.scores.chain import Quality, Ranks, is_high_quality, ranks


@dataclass(frozen=True, slots=True)
class Judging:
    """Who judged, how many questions, and how many of them in vain."""

    judge: str
    judged: int
    failed: int  # without a score: a reply that could not be used says nothing of the answers

    def told(self, finished: int) -> str:
        """In a sentence."""
        return (
            f"{self.judge} judged {self.judged} of these {finished} questions, and failed on "
            f"{self.failed} more, which have no rank."
        )


def judging(judgements: Sequence[Judged]) -> Judging | None:
    """Of the questions that count; None where nobody has judged any."""
    if not judgements:
        return None
    failed = sum(each.qualities is None for each in judgements)
    return Judging(judgements[0].judge, len(judgements) - failed, failed)


def judge_scores(judgements: Iterable[Judged]) -> dict[tuple[str, str], Scores]:
    """Places and high quality, by question and variant; a failure has neither."""
    scores = {}
    for judged in judgements:
        qualities = judged.qualities or {}
        for variant, places in ranks(qualities).items():
            scores[judged.question, variant] = {
                **_scores(qualities[variant], places),
                "judge_good_revision": _share(judged.good_revisions.get(variant)),
            }
    return scores


def by_judge(column: Column, judging: Judging | None) -> Column:
    """A stand-in for the paper's judge is named wherever its figures are."""
    if column.group != JUDGE or judging is None:
        return column
    plural = "" if judging.failed == 1 else "s"
    failed = f"; {judging.failed} question{plural} failed" if judging.failed else ""
    return replace(
        column, label=f"{column.label}, by {judging.judge}", note=f"{column.note}{failed}"
    )


def _scores(quality: Quality, places: Ranks) -> Scores:
    by_name = {f"judge_rank_{name}": float(place) for name, place in asdict(places).items()}
    return {**by_name, "judge_high_quality": float(is_high_quality(quality))}


def _share(good: bool | None) -> float | None:
    return None if good is None else float(good)
