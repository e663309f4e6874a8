"""Whether a text contains what people marked as answering: a value, or the quoted sentences.

Values are compared as they are written, but for case and white space, because "-n" and "n" are two
things in a manual. Quotes are compared by their words, since readers render tables and code
differently; the sentences of a quote may be in any order and have others between them.
"""

from __future__ import annotations

import re

from upheld.text.sentences import sentences
from upheld_lab.bench.metrics import contains_quote
from upheld_lab.bench.runs.records import Scores
from upheld_lab.bench.scores.words import says_yes
from upheld_lab.bench.suites.suite import GoldText


def contains_gold(text: str, gold: GoldText) -> bool:
    """Whether a text is right; where it says yes or no, that decides."""
    if gold.yes is not None and (said := says_yes(text)) is not None:
        return said is gold.yes
    return _contains_value(text, gold) or (
        bool(gold.quotes)
        and all(any(contains_quote(text, each) for each in wordings) for wordings in gold.quotes)
    )


def gold_text_scores(text: str, gold: GoldText | None) -> Scores:
    """Whether the right sentence comes first, and how many sentences there are.

    Both are None without gold; of an empty text only the number is.
    """
    shown = sentences(text)
    return {
        "first_correct": None
        if gold is None
        else float(bool(shown) and is_gold_sentence(shown[0], gold)),
        "sentences": float(len(shown)) if shown and gold is not None else None,
    }


def is_gold_sentence(sentence: str, gold: GoldText) -> bool:
    """Whether one sentence gives the value, or is one of those quoted, in whole or in part."""
    if gold.yes is not None and (said := says_yes(sentence)) is not None:
        return said is gold.yes
    quotes = [quote for wordings in gold.quotes for quote in wordings]
    if gold.values:  # another sentence of the quote only leads up to it
        whole = any(contains_quote(sentence, quote) for quote in quotes)
        return whole or _contains_value(sentence, gold)
    return any(
        contains_quote(quote, sentence) or contains_quote(sentence, quote) for quote in quotes
    )


def _contains_value(text: str, gold: GoldText) -> bool:
    plain = _as_written(text)
    return any(
        re.search(rf"(?<!\w){re.escape(_as_written(value))}(?!\w)", plain)
        for value in gold.values
        if value.strip()
    )


def _as_written(text: str) -> str:
    """Without the marks of code, which readers add, and with single spaces."""
    return " ".join(text.replace("`", "").casefold().split())
