"""The result of checking a claim and its machine-readable reason: `Support` and `Cause`.

Their docstrings are descriptions in the OpenAPI document.
"""

from __future__ import annotations

from enum import StrEnum


class Support(StrEnum):
    """The result of checking a claim against its sources."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNSUPPORTED = "unsupported"
    NOT_CHECKED = "not_checked"
    NOT_CHECKWORTHY = "not_checkworthy"


class Cause(StrEnum):
    """The machine-readable reason of a verdict."""

    # supported
    QUOTED = "quoted"
    ENTAILED = "entailed"
    ENTAILED_ELSEWHERE = "entailed_elsewhere"  # by passages that the claim does not cite
    # contradicted, unsupported
    CONTRADICTED = "contradicted"
    NOT_ENTAILED = "not_entailed"
    FIGURE_ABSENT = "figure_absent"
    NAME_ABSENT = "name_absent"
    NOT_ASSERTED = "not_asserted"  # a source mentions it, but denies, alleges or only expects it
    UNKNOWN_SOURCE = "unknown_source"  # the claim has a mark such as [9] that is no source
    BELOW_GUARANTEE = "below_guarantee"  # entailed, but below the threshold of the guarantee
    # not_checked
    NO_MODEL = "no_model"
    MODEL_FAILED = "model_failed"
    BAD_SCORES = "bad_scores"
    OUT_OF_TIME = "out_of_time"
    CLAIM_TOO_LONG = "claim_too_long"
    CLAIM_TOO_SHORT = "claim_too_short"  # a single word is no statement
    SOURCE_TOO_LONG = "source_too_long"
    NO_SOURCE = "no_source"
    SOURCE_EMPTY = "source_empty"
    UNREADABLE = "unreadable"
    LANGUAGE = "language"
    # not_checkworthy
    QUESTION = "question"
    GREETING = "greeting"
    HEADING = "heading"
    META = "meta"
    HEDGE = "hedge"
    REFERENCE = "reference"
    NO_WORDS = "no_words"
