"""Which figures a run's table can have, in which order, and what each of them says."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Better(StrEnum):
    """Which way a figure improves; some only describe."""

    HIGHER = "higher"
    LOWER = "lower"
    NEITHER = "neither"


class Kind(StrEnum):
    """How a figure is made from the questions."""

    MEAN = "mean"
    MEDIAN = "median"
    ABSTENTION = "abstention"  # of the whole list: precision, recall and F1 of keeping silent


@dataclass(frozen=True, slots=True)
class Column:
    """One figure: `name` is the key of the scores, `label` what people read."""

    name: str
    label: str
    group: str
    note: str
    better: Better = Better.HIGHER
    kind: Kind = Kind.MEAN


QUALITY, CITATIONS, HONESTY, COST = "Answers", "Citations", "Honesty", "Cost"
JUDGE, CHAIN = "Judge", "Chain of verification"
_UP, _DOWN, _FLAT = Better.HIGHER, Better.LOWER, Better.NEITHER


def _cited(suffix: str, by: str) -> tuple[Column, ...]:
    """Citation metrics by one judge of entailment."""
    return tuple(
        Column(f"{mode}_{what}{suffix}", f"{mode} {what}, {by}", CITATIONS, f"{told}; {by}")
        for mode, how in (("alce", "quirks as published"), ("strict", "every cited claim counts"))
        for what, told in (
            ("recall", f"claims that their citations entail ({how})"),
            ("precision", f"citations that are needed ({how})"),
        )
    )


# CoV-RAG's, by whichever model judged: its name is put into the labels.
_JUDGED = (
    *(
        Column(f"judge_rank_{what}", f"{what} rank", JUDGE, "mean place, 1 is best", _DOWN)
        for what in ("citation", "correctness", "truthfulness", "bias", "conciseness")
    ),
    Column("judge_high_quality", "high-quality rate", JUDGE, "flawless, unbiased and concise"),
    Column("judge_good_revision", "good revisions", JUDGE, "of the questions that were revised"),
)
# CoV-RAG's, of its own chain, for the first answer to a question; by gold.
_CHAIN = (
    Column("chain_judgement", "judgement accuracy", CHAIN, "true where right, false where wrong"),
    Column("chain_revision", "revision accuracy", CHAIN,
           "asked anew, and found it, where answer and references were wrong; else not"),
    Column("chain_format", "format accuracy", CHAIN, "replies that could be read"),
    Column("chain_reference_delta", "reference delta", CHAIN,
           "questions whose references have the answer, after the revision minus before"),
)  # fmt: skip


COLUMNS = (
    Column("correct", "correct", QUALITY, "the answer or its gold quote stands in the text"),
    Column("answer_words", "words (median)", QUALITY,
           "of answers that are shown: a longer one is correct more easily; tested by means",
           _FLAT, Kind.MEDIAN),
    Column("first_correct", "right sentence first", QUALITY, "the first sentence is the answer"),
    Column("sentences", "sentences", QUALITY, "of answers that are shown", _FLAT),
    Column("em", "exact match", QUALITY, "the text is a wording of the answer"),
    Column("f1", "word F1", QUALITY, "words shared with the answer"),
    Column("short_f1", "word F1, short answer", QUALITY,
           "words of the short answer, or of the whole without one, shared with the answer"),
    Column("yes_right", "yes/no right", QUALITY, "of questions to be answered by yes or no"),
    Column("str_em", "STR-EM", QUALITY, "share of the parts of a list that are named"),
    Column("list_precision", "list precision", QUALITY, "named items that belong to the list"),
    Column("list_recall5", "list recall@5", QUALITY, "items named, five are enough"),
    Column("claim_recall", "claim recall", QUALITY, "facts that the claims entail, by the scorer"),
    Column("knowledge", "knowledge", QUALITY, "effective knowledge coverage, by the scorer"),
    Column("gold_f1", "gold citation F1", CITATIONS, "cited passages against those people marked"),
    Column("gold_precision", "gold precision", CITATIONS, "cited passages that people marked"),
    Column("gold_recall", "gold recall", CITATIONS, "marked passages that are cited"),
    *_cited("", "scorer"),
    *_cited("_by_verifier", "verifier"),
    Column("shown", "coverage", HONESTY, "questions with something shown unwarned", _FLAT),
    Column("abstained", "abstained", HONESTY, "questions with nothing shown", _FLAT),
    Column("doubtful", "doubtful", HONESTY, "shown with a warning", _FLAT),
    Column("wrong", "confidently wrong", HONESTY, "shown unwarned, but wrong", _DOWN),
    Column("abstention_f1", "abstention F1", HONESTY, "silent where nothing answers, only there",
           _UP, Kind.ABSTENTION),
    Column("abstention_precision", "abstention precision", HONESTY,
           "of the silent ones, those that nothing answers", _UP, Kind.ABSTENTION),
    Column("abstention_recall", "abstention recall", HONESTY,
           "of those that nothing answers, the silent ones", _UP, Kind.ABSTENTION),
    Column("conflict", "conflict reported", HONESTY, "answers that say: sources disagree", _FLAT),
    Column("falsehood", "falsehood stated", HONESTY, "what planted passages say, unwarned", _DOWN),
    *_JUDGED,
    *_CHAIN,
    Column("seconds", "seconds (median)", COST, "of answers that have one; tested by means", _DOWN,
           Kind.MEDIAN),
    Column("requests", "requests", COST, "calls of the language model", _DOWN),
    Column("completions", "completions", COST, "samples asked of the language model", _DOWN),
    Column("prompt_tokens", "prompt tokens", COST, "read by the language model", _DOWN),
    Column("completion_tokens", "written tokens", COST, "written by the language model", _DOWN),
    Column("cached_share", "cached share", COST, "prompt tokens that a cache gave", _FLAT),
    Column("cost", "cost", COST, "by the run's price table", _DOWN),
)  # fmt: skip
BY_NAME = {column.name: column for column in COLUMNS}
