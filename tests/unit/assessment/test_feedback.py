from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.messages import only_says
from tests.unit.assessment.test_assess import CLAIMS
from tests.unit.drafts import citation, claim, draft
from upheld.assessment.assess import Aspect, Assessment, Thresholds, assess, below
from upheld.assessment.feedback import Remark, as_text, feedback
from upheld.types import Claim, Draft, Question, Support

NO = Support.UNSUPPORTED
OPENED = claim("The museum opened in 1881.", Support.SUPPORTED, citation("museum"))


def remarks(of: Draft, thresholds: Thresholds = Thresholds()) -> dict[Aspect, Remark]:
    return {each.aspect: each for each in feedback(of, assess(of), thresholds)}


def test_a_good_draft_is_affirmed_and_nothing_is_asked_of_it() -> None:
    told = remarks(draft(OPENED))
    assert all(each.enough and each.findings == () for each in told.values())
    lines = as_text(told.values()).splitlines()
    assert len(lines) == len(Aspect)
    assert all(line.endswith(": 1.00, enough.") for line in lines)


@pytest.mark.parametrize(
    ("made", "line"),
    [
        (
            claim("It has a cafe.", NO, citation("entry", NO)),
            'Claim 2 ("It has a cafe.") is not upheld (no source says this)',
        ),
        (
            claim(
                "It costs ten pounds to get in there on any day.",
                Support.CONTRADICTED,
                found_against=(citation("entry"), citation("museum")),
            ),
            'Claim 2 ("It costs ten pounds to get in there …") is contradicted by [1], [3]',
        ),
        (
            claim("It is big.", Support.NOT_CHECKED, reason="the verifier failed"),
            'Claim 2 ("It is big.") could not be checked (the verifier failed)',
        ),
    ],
)
def test_a_claim_that_is_not_supported_is_named_with_the_reason(made: Claim, line: str) -> None:
    told = remarks(draft(OPENED, made))
    (finding,) = told[Aspect.SUPPORT].findings
    assert finding.startswith(f"{line}: ")  # and what to do about it
    assert not told[Aspect.SUPPORT].enough
    assert str(told[Aspect.SUPPORT]).endswith(f": 0.50, not enough.\n- {finding}")


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (
            claim("Hope hangs there.", Support.SUPPORTED, found_for=(citation("whale"),)),
            ("cites nothing", "cite [2]"),
        ),
        (
            claim(
                "Hope hangs there.",
                Support.SUPPORTED,
                citation("museum", NO),
                citation("entry", Support.CONTRADICTED),
                found_for=(citation("whale"),),
            ),
            ("cites [1], [3] in vain", "cite [2]"),
        ),
        (
            claim("Hope hangs there.", Support.SUPPORTED),
            ("cites nothing", "cite the passage"),
        ),
    ],
)
def test_a_wrong_or_missing_citation_is_told_with_the_right_one(
    made: Claim, words: tuple[str, ...]
) -> None:
    told = remarks(draft(made))
    assert told[Aspect.SUPPORT].enough
    assert only_says(told[Aspect.CITATION_RECALL].findings, "Hope hangs there.", *words)
    assert not told[Aspect.CITATION_RECALL].enough


def test_a_needless_citation_is_told() -> None:
    made = claim("Hope hangs there.", Support.SUPPORTED, citation("whale"), citation("entry", NO))
    told = remarks(draft(made))
    assert told[Aspect.CITATION_RECALL].enough
    findings = told[Aspect.CITATION_PRECISION].findings
    assert only_says(findings, "Hope hangs there.", "[3] needlessly")


def test_what_is_missing_is_told_apart_from_what_cannot_be_found() -> None:
    question = Question("When did the museum open, who led it, and which school did he attend?")
    told = remarks(draft(OPENED, question=question))
    unsaid, unknown = told[Aspect.COVERAGE].findings
    assert "claim speaks of: led." in unsaid
    assert "passage speaks of: school, attend." in unknown


def test_an_empty_draft_is_told_what_it_lacks() -> None:
    """The paper's Table 10 gives no feedback on citations because there are none."""
    told = remarks(draft(question=Question("Why?")))
    assert all(not each.enough and len(each.findings) == 1 for each in told.values())
    assert "no claim to check" in told[Aspect.SUPPORT].findings[0]


def test_findings_are_told_even_where_the_score_is_enough() -> None:
    wrong = claim("It costs ten.", Support.CONTRADICTED, found_against=(citation("entry"),))
    told = remarks(draft(OPENED, wrong), Thresholds(support=0.5))
    assert told[Aspect.SUPPORT].enough
    assert "contradicted by [3]" in str(told[Aspect.SUPPORT])


def test_claims_that_need_no_check_keep_their_number_and_get_no_remark() -> None:
    hello = claim("Hello!", Support.NOT_CHECKWORTHY)
    told = remarks(draft(hello, claim("It has a cafe.", NO)))
    (line,) = told[Aspect.SUPPORT].findings
    assert line.startswith('Claim 2 ("It has a cafe.")')


def test_a_source_that_is_not_shown_has_no_number() -> None:
    wrong = claim("It costs ten.", Support.CONTRADICTED, found_against=(citation("entry"),))
    told = remarks(draft(wrong, names=("museum",)))
    assert "contradicted by a passage that is not shown" in told[Aspect.SUPPORT].findings[0]


def test_the_papers_mismatch_cannot_be_said() -> None:
    """Table 7: praise for correctness with a score of 0, beside citations of 57 and 80."""
    told = feedback(draft(OPENED), Assessment(0, 0.57, 0.8, 0), Thresholds(0, 0.5, 0.5, 0))
    assert [each.enough for each in told] == [False, True, True, False]


SHARES = st.floats(0, 1)


@given(
    st.lists(CLAIMS, max_size=5),
    st.builds(Assessment, SHARES, SHARES, SHARES, SHARES),
    st.builds(Thresholds, SHARES, SHARES, SHARES, SHARES),
    st.booleans(),
)
def test_feedback_never_affirms_what_is_below_its_threshold(
    claims: list[Claim], scores: Assessment, thresholds: Thresholds, measured: bool
) -> None:
    of = draft(*claims)
    assessment = assess(of) if measured else scores
    told = feedback(of, assessment, thresholds)
    assert [each.aspect for each in told] == list(Aspect)
    for each in told:
        failed = each.aspect.of(assessment) < each.aspect.of(thresholds)
        head = str(each).splitlines()[0]
        assert not (failed or each.score == 0) or not each.enough
        assert head.endswith(", not enough.") is not each.enough
        assert each.enough or each.findings  # what fails is always told how to mend
    assert {each.aspect for each in told if not each.enough} == set(below(assessment, thresholds))
