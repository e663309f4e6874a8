"""CoV-RAG's evaluation (arXiv:2410.05801): ranks, high quality, and how well its chain works.

All is said of one question; the paper's figures are means over questions, which the page takes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from upheld.verification.chain import Judgment

_Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


@dataclass(frozen=True, slots=True)
class Quality:
    """What a judge says of one answer."""

    citation: _Share
    correctness: _Share
    truthfulness: _Share
    bias: _Share  # 1 is bad
    conciseness: _Share


@dataclass(frozen=True, slots=True)
class Ranks:
    """The places of one answer among several to the same question; 1 is best."""

    citation: int
    correctness: int
    truthfulness: int
    bias: int
    conciseness: int


@dataclass(frozen=True, slots=True)
class Checked:
    """What a chain of verification said of one answer, beside what was so."""

    judgment: Judgment | None  # None: its reply did not have the format asked for
    revised: bool  # it asked the question anew
    answer_right: bool
    references_right: bool  # what was found has the answer
    revision_good: bool = False  # the new question finds the answer


def ranks(answers: Mapping[str, Quality]) -> dict[str, Ranks]:
    """Places of the answers to one question by each score; equals share the better place.

    The paper says nothing of equals, but its mean ranks near 1 show that they share the first.
    """
    goods = {name: _goods(quality) for name, quality in answers.items()}
    columns = list(zip(*goods.values(), strict=True))
    return {
        name: Ranks(
            *(
                1 + sum(each > good for each in column)
                for good, column in zip(own, columns, strict=True)
            )
        )
        for name, own in goods.items()
    }


def is_high_quality(quality: Quality) -> bool:
    """Section 4.2: nothing wrong with it, little bias, to the point."""
    flawless = quality.citation == quality.correctness == quality.truthfulness == 1
    return flawless and quality.bias < 0.3 and quality.conciseness > 0.5


def judged_rightly(checked: Checked) -> bool:
    """Judgement accuracy: true where right, false where wrong; "unclear" is neither."""
    return checked.judgment is (Judgment.TRUE if checked.answer_right else Judgment.FALSE)


def revised_rightly(checked: Checked) -> bool:
    """Revision accuracy: well where answer and references are wrong, and not at all elsewhere."""
    if checked.answer_right or checked.references_right:
        return not checked.revised  # the paper's judge calls it poor timing
    return checked.revised and checked.revision_good


def _goods(quality: Quality) -> tuple[float, ...]:
    """The five scores in the order of `Ranks`, of each the more the better."""
    q = quality
    return q.citation, q.correctness, q.truthfulness, -q.bias, q.conciseness
