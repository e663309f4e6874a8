"""What is shown without a warning, by how sure a method is, and its gold citations."""

from __future__ import annotations

import pytest

from tests.unit.graded_answers import A, B, C, answer, cite, claim
from upheld.types import Answer, Cause, Conflict, Support
from upheld_lab.bench.scores.by_gold import gold_citations
from upheld_lab.bench.scores.precision_recall import PrecisionRecall
from upheld_lab.bench.scores.shown import confidence, is_shown, method_of, shown_claims, text_of

GOOD = claim("Owls fly.", A, support=Support.SUPPORTED, probability=0.8, relevance=0.5)
SURE = claim("Owls hoot.", B, support=Support.SUPPORTED, probability=0.6, relevance=0.9)
QUOTED = claim(
    "Owls eat.", B, support=Support.SUPPORTED, probability=0.3, cause=Cause.QUOTED, relevance=0.7
)
LOOSE = claim("Owls swim.", C, support=Support.UNSUPPORTED, probability=0.2)
UNCHECKED = claim("Owls sing.", C, support=Support.NOT_CHECKED)
CONFLICT = Conflict("Owls fly.", *cite(A, B))


def test_a_variant_is_named_after_its_method() -> None:
    assert method_of("fave:sessions=2+select=r_d") == "fave"
    assert method_of("upheld") == "upheld"
    assert method_of("rag+gate") == method_of("rag+gate:search=bm25") == "rag"


def test_upheld_and_what_is_gated_show_what_is_supported_and_others_show_everything() -> None:
    mixed = answer(GOOD, LOOSE)
    for variant in ("upheld", "upheld:rounds=0", "rag+gate", "crag+gate:strips=false"):
        assert shown_claims(mixed, variant) == (GOOD,)
    assert shown_claims(mixed, "rag") == (GOOD, LOOSE)
    assert text_of(shown_claims(mixed, "rag")) == "Owls fly. Owls swim."


def test_a_reported_conflict_is_a_warning_by_the_method_that_reports() -> None:
    warned = answer(GOOD, conflicts=(CONFLICT,))
    assert not is_shown(warned, "upheld")
    assert is_shown(warned, "rag")
    assert is_shown(answer(GOOD), "upheld")
    assert not is_shown(answer(LOOSE), "upheld")
    assert not is_shown(answer(), "rag")


@pytest.mark.parametrize(
    ("found", "method", "sure"),
    [
        (answer(GOOD, SURE), "upheld", 0.54),  # the better of 0.8 x 0.5 and 0.6 x 0.9
        (answer(QUOTED, SURE), "upheld", 0.7),  # a quote is certain: 1 x 0.7
        (answer(GOOD, LOOSE), "upheld", 0.4),  # the marked claim is not shown
        (answer(LOOSE, UNCHECKED), "upheld", 0.2),  # nothing shown: the best of what is marked
        (answer(UNCHECKED), "upheld", 0.0),  # nobody vouches for it
        (answer(claim("Owls.", support=Support.SUPPORTED)), "upheld", 1.0),  # no numbers at all
        (answer(), "upheld", None),
        (answer(GOOD, SURE), "rag+gate", 0.54),
        (answer(LOOSE), "rag", 1.0),  # all alike, whatever a verdict says of it afterwards
        (answer(), "rag", None),
    ],
)
def test_confidence(found: Answer, method: str, sure: float | None) -> None:
    assert confidence(found, method) == (None if sure is None else pytest.approx(sure))


def test_gold_citations_are_of_shown_claims() -> None:
    """Gold: a, d. upheld shows a: precision 1/1, recall 1/2, F1 2 x 0.5 / 1.5 = 2/3. rag shows
    a and c: precision 1/2, recall 1/2, F1 1/2."""
    gold = frozenset({"a", "d"})
    found = answer(GOOD, GOOD, LOOSE)
    ours = gold_citations(found, "upheld", gold)
    assert ours == PrecisionRecall(precision=1, recall=0.5)
    assert ours.f1 == pytest.approx(2 / 3)
    assert gold_citations(found, "rag", gold) == PrecisionRecall(0.5, 0.5)
    assert gold_citations(answer(), "rag", gold) == PrecisionRecall(0, 0)
    assert PrecisionRecall(0, 0).f1 == 0
