"""CoV-RAG's evaluation (arXiv:2410.05801): ranks, high quality, and how well its chain works."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from statistics import fmean
from typing import Annotated

from pydantic import BaseModel, Field

from upheld.stages.verification import Judgment

_Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class Quality(BaseModel, frozen=True):
    """What a judge says of one answer."""

    citation: _Share
    correctness: _Share
    truthfulness: _Share
    bias: _Share  # 1 is bad
    conciseness: _Share


@dataclass(frozen=True, slots=True)
class Ranks:
    """The places of one answer among several to the same question, or their means; 1 is best."""

    citation: float
    correctness: float
    truthfulness: float
    bias: float
    conciseness: float


@dataclass(frozen=True, slots=True)
class Checked:
    """What a chain of verification said of one answer, beside what was so."""

    judgment: Judgment | None  # None: its reply did not have the format asked for
    revised: bool  # it asked the question anew
    answer_right: bool
    references_right: bool  # what was found has the answer
    revision_good: bool = False  # by a judge, or since the new question finds the answer


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


def mean_ranks(places: Sequence[Ranks]) -> Ranks | None:
    """rank = sum x_i / N over questions, for one method; None without any."""
    if not places:
        return None
    return Ranks(*map(fmean, zip(*map(astuple, places), strict=True)))


def is_high_quality(quality: Quality) -> bool:
    """Section 4.2: nothing wrong with it, little bias, to the point."""
    flawless = quality.citation == quality.correctness == quality.truthfulness == 1
    return flawless and quality.bias < 0.3 and quality.conciseness > 0.5


def high_quality_rate(qualities: Iterable[Quality]) -> float | None:
    """The share of answers that are of high quality."""
    return _rate(map(is_high_quality, qualities))


def reference_delta(before: Sequence[bool], after: Sequence[bool]) -> float | None:
    """By how much revision raises retrieval accuracy: the share of questions whose references
    have the answer, after it minus before it."""
    one, other = _rate(before), _rate(after)
    return None if one is None or other is None else other - one


def judgement_accuracy(checked: Iterable[Checked]) -> float | None:
    """The share judged true where right and false where wrong; "unclear" is neither."""
    wanted = {True: Judgment.TRUE, False: Judgment.FALSE}
    return _rate(each.judgment is wanted[each.answer_right] for each in checked)


def revision_accuracy(checked: Iterable[Checked]) -> float | None:
    """The share revised well where answer and references are wrong, and not revised elsewhere."""
    return _rate(map(_revised_well, checked))


def format_accuracy(checked: Iterable[Checked]) -> float | None:
    """The share of replies that had the format asked for."""
    return _rate(each.judgment is not None for each in checked)


def _revised_well(checked: Checked) -> bool:
    if checked.answer_right or checked.references_right:
        return not checked.revised  # the paper's judge calls it poor timing
    return checked.revised and checked.revision_good


def _goods(quality: Quality) -> tuple[float, ...]:
    """The five scores in the order of `Ranks`, of each the more the better."""
    q = quality
    return q.citation, q.correctness, q.truthfulness, -q.bias, q.conciseness


def _rate(good: Iterable[bool]) -> float | None:
    counted = list(good)
    return sum(counted) / len(counted) if counted else None
