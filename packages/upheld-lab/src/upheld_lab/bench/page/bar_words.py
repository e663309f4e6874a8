"""The bars in plain words, and which way each of them is good."""

from __future__ import annotations

from dataclasses import dataclass

from upheld_lab.bench.page.bars import Bar
from upheld_lab.bench.page.columns import Better
from upheld_lab.bench.page.paired import FEWEST


@dataclass(frozen=True, slots=True)
class Words:
    """What a bar is called, and the value at which nothing is gained or lost."""

    label: str
    even: float
    better: Better


TOO_FEW = "too few"
_UP, _DOWN = Better.HIGHER, Better.LOWER
WORDS = {
    "gold_citation_f1_gain": Words(
        "gold citation F1, gain over the better of rag and crag", 0, _UP
    ),
    "gold_citation_f1_over_best": Words("gold citation F1, gain over the best other", 0, _UP),
    "correctness_gain": Words("correct answers, gain over the better of rag and crag", 0, _UP),
    "correctness_lower_bound": Words("correct answers, lower end of that gain", 0, _UP),
    "confidently_wrong_ratio": Words("confidently wrong at rag's coverage, ratio", 1, _DOWN),
    "confidently_wrong_difference": Words(
        "confidently wrong at rag's coverage, difference", 0, _DOWN
    ),
    "abstention_f1_gain": Words("abstention F1, gain over rag", 0, _UP),
    "poison_ratio": Words("planted falsehood stated unwarned, ratio to rag", 1, _DOWN),
    "poison_reported_gain": Words("planted conflict reported, gain over rag", 0, _UP),
    "completions_over_fave": Words("completions, ratio to fave", 1, _DOWN),
}


def verdict(bar: Bar) -> str:
    """In a word what its 95 % interval says; of too few questions it says nothing."""
    if bar.n < FEWEST:
        return TOO_FEW
    words = WORDS[bar.name]
    if bar.low == bar.high == words.even:
        return "no difference"
    above = bar.low is not None and bar.low > words.even
    below = bar.high is not None and bar.high < words.even
    if not (above or below):
        return "may be chance"
    return "surely better" if above == (words.better is Better.HIGHER) else "surely worse"
