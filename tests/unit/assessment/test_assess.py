from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.drafts import citation, claim, draft
from upheld.assessment.assess import (
    Aspect,
    Assessment,
    Thresholds,
    assess,
    below,
    has_recall,
    parts_of,
    unspoken,
    upholding,
)
from upheld.types import Cause, Claim, Draft, Question, Support

NO = Support.UNSUPPORTED
OPENED = claim("The museum opened in 1881.", Support.SUPPORTED, citation("museum"))


# --- support -------------------------------------------------------------------------------------


def test_support_is_the_share_of_claims_that_are_supported() -> None:
    others = [claim("It did.", support) for support in Support if support is not Support.SUPPORTED]
    assert assess(draft(OPENED)).support == 1.0
    # contradicted, unsupported and not checked count against; not check-worthy counts not at all
    assert assess(draft(OPENED, *others)).support == 1 / 4


def test_no_claims_are_0_in_every_aspect() -> None:
    greeting = claim("Hello!", Support.NOT_CHECKWORTHY, citation("museum"))
    for empty in (draft(), draft(greeting), Draft(Question("When?"))):
        assert [aspect.of(assess(empty)) for aspect in Aspect] == [0, 0, 0, 0]


# --- ALCE: worked examples -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("made", "recall", "precision"),
    [
        # no citation: recall 0, and nothing to be precise about
        (claim("A.", Support.SUPPORTED), False, []),
        # one citation that entails it
        (claim("A.", Support.SUPPORTED, citation("museum")), True, [True]),
        # supported, but by a passage that it does not cite
        (
            claim(
                "A.",
                Support.SUPPORTED,
                citation("whale", NO),
                found_for=(citation("museum"),),
                cause=Cause.ENTAILED_ELSEWHERE,
            ),
            False,
            [False],
        ),
        # one of two is enough: the other is irrelevant
        (
            claim("A.", Support.SUPPORTED, citation("museum"), citation("whale", NO)),
            True,
            [True, False],
        ),
        # a contradicting or unread citation is no better than an irrelevant one
        (
            claim(
                "A.",
                Support.SUPPORTED,
                citation("museum"),
                citation("whale", Support.CONTRADICTED),
                citation("entry", Support.NOT_CHECKED),
            ),
            True,
            [True, False, False],
        ),
        # only together do they entail it: each is needed
        (claim("A.", Support.SUPPORTED, citation("museum"), citation("whale")), True, [True, True]),
        # not supported: no citation of it is precise
        (claim("A.", NO, citation("museum", NO)), False, [False]),
        (claim("A.", Support.CONTRADICTED, citation("museum")), False, [False]),
        (claim("A.", Support.NOT_CHECKED, citation("museum")), False, [False]),
        # the same passage twice is one citation
        (
            claim("A.", Support.SUPPORTED, citation("museum", NO), citation("museum")),
            True,
            [True],
        ),
        # the first three count
        (
            claim(
                "A.",
                Support.SUPPORTED,
                citation("whale", NO),
                citation("entry", NO),
                citation("leader", NO),
                citation("museum"),
            ),
            False,
            [False, False, False],
        ),
    ],
)
def test_recall_and_precision_of_one_claim(
    made: Claim, recall: bool, precision: list[bool]
) -> None:
    assert has_recall(made) is recall
    assert [recall and good for good in upholding(made).values()] == precision
    assessed = assess(draft(made))
    assert assessed.citation_recall == float(recall)
    assert assessed.citation_precision == sum(precision) / max(1, len(precision))


def test_recall_is_over_claims_and_precision_over_citations() -> None:
    both = claim(
        "Hope hangs in its hall.", Support.SUPPORTED, citation("whale"), citation("entry", NO)
    )
    bare = claim("Entry is free.", Support.SUPPORTED, found_for=(citation("entry"),))
    assessed = assess(draft(OPENED, both, bare))
    assert assessed.citation_recall == 2 / 3
    assert assessed.citation_precision == 2 / 3


# --- coverage ------------------------------------------------------------------------------------


def test_coverage_is_the_share_of_content_words_that_supported_claims_have() -> None:
    question = Question("When did the museum open, and who directs it?")
    assessed = assess(draft(OPENED, question=question))
    assert assessed.coverage == 2 / 3
    assert assessed.missing == ("directs",)


def test_only_supported_claims_cover() -> None:
    assessed = assess(draft(claim("The museum opened in 1882.", Support.CONTRADICTED)))
    assert assessed.coverage == 0
    assert assessed.missing == ("museum", "open")
    assert assessed.unfound == ()  # the passages do speak of it: writing better can help


def test_what_no_passage_speaks_of_is_unfound() -> None:
    """The paper's retrieval error (Table 6): refinement cannot help, another search may."""
    question = Question("Which school did the museum's administrators attend?")
    assessed = assess(draft(OPENED, question=question))
    assert assessed.missing == assessed.unfound == ("school", "administrators", "attend")
    assert assess(draft(names=())).unfound == ("museum", "open")


def test_the_same_word_counts_once_and_function_words_not_at_all() -> None:
    assert list(parts_of("Open? When is it opened, and who opens it: the Museum?")) == [
        "Open",
        "Museum",
    ]
    assert list(parts_of("Why don't O'Brien’s owls hoot, and who'll tell?")) == [
        "O",
        "Brien",
        "owls",
        "hoot",
        "tell",
    ]
    question = Question("Who is it, and why?")
    assert assess(draft(OPENED, question=question)).coverage == 1.0
    assert assess(draft(claim("No.", NO), question=question)).coverage == 0.0


def test_a_facet_is_covered_by_one_claim_that_has_half_of_its_own_words() -> None:
    facets = ("When did the museum open?", "Who directs the museum?", "What does the museum cost?")
    assessed = assess(draft(OPENED), facets)
    assert assessed.coverage == 1 / 3
    assert assessed.missing == assessed.unfound == facets[1:]


def test_what_all_facets_share_answers_none_of_them() -> None:
    facets = ("When did the museum open?", "Who leads the museum?")
    assert list(unspoken(parts_of("", facets), ["The museum is in London."])) == list(facets)
    same = ("The museum?", "A museum?")
    assert list(parts_of("", same)) == ["The museum?"]


def test_scripts_without_spaces_are_compared_by_character() -> None:
    parts = parts_of("博物館は何年に開館したか")
    assert unspoken(parts, ["博物館は1881年に開館した。"]) == {}
    assert list(unspoken(parts, ["鯨の名前はホープ。"])) == ["博物館は何年に開館したか"]


# --- thresholds ----------------------------------------------------------------------------------


def test_below_names_what_fails_and_0_always_does() -> None:
    assessed = Assessment(0.8, 0.5, 0.0, 1.0)
    assert below(assessed, Thresholds(0.8, 0.6, 0.0, 1.0)) == (
        Aspect.CITATION_RECALL,
        Aspect.CITATION_PRECISION,
    )
    assert below(Assessment(1, 1, 1, 0.5), Thresholds()) == ()
    assert below(Assessment(1, 1, 1, 0.49), Thresholds()) == (Aspect.COVERAGE,)


def test_the_score_is_the_mean_and_among_equals_loose_claims_count_against() -> None:
    loose = claim("It did.", NO)
    drafts = [draft(loose), draft(), draft(OPENED, loose), draft(OPENED)]
    # of the third: half supported, half cited well, one good citation, all of the question told
    expected = [(0.0, -1), (0.0, 0), (0.75, -1), (1.0, 0)]
    assert [assess(each).score for each in drafts] == expected == sorted(expected)


SUPPORTS = st.sampled_from(Support)
CITATIONS = st.builds(citation, st.sampled_from(["museum", "whale", "entry", "leader"]), SUPPORTS)
CLAIMS = st.builds(
    lambda text, support, cited: claim(text, support, *cited),
    st.sampled_from(["The museum opened.", "Hope hangs there.", "", "博物館"]),
    SUPPORTS,
    st.lists(CITATIONS, max_size=5),
)


@given(st.lists(CLAIMS, max_size=6), st.lists(st.text(max_size=20), max_size=3), st.text())
def test_every_share_is_a_number_between_0_and_1(
    claims: list[Claim], facets: list[str], question: str
) -> None:
    assessed = assess(draft(*claims, question=Question(question)), facets)
    assert all(0 <= aspect.of(assessed) <= 1 for aspect in Aspect)
    assert assessed.citation_recall <= assessed.support
    assert set(assessed.unfound) <= set(assessed.missing)
