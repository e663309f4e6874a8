"""Faults of checked drafts, how high an answer stands, and what becomes of what does not hold."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.messages import only_says
from tests.unit.drafts import ASK, citation, claim, draft
from upheld.generation.join import join
from upheld.methods.by_diagnosis.diagnose import Contradicted, Unanswered, Unsupported, diagnose
from upheld.methods.by_diagnosis.offer import covered, score_draft
from upheld.methods.by_diagnosis.repair import Repaired, applied
from upheld.methods.by_diagnosis.unsupported_policy import (
    UnsupportedPolicy,
    apply_policy,
    conflict_of,
    telling_searches,
    with_conflicts,
)
from upheld.run.trace import Score
from upheld.types import Claim, Draft, Event, Question, Support

OPEN, LEAD = Question("When did the museum open?"), Question("Who has led the museum?")
GOOD = claim("The museum opened in 1881.", Support.SUPPORTED, citation("museum"))
LOOSE = claim("The museum opened on a Monday.", Support.UNSUPPORTED, citation("museum"))
WRONG = claim("It opened in 1882.", Support.CONTRADICTED, found_against=(citation("museum"),))
REMARK = claim("The passages do not say.", Support.NOT_CHECKWORTHY)
UNCHECKED = claim("It is on Cromwell Road.", Support.NOT_CHECKED)
DISPUTED = claim(
    "Entry is free.", found_for=(citation("entry"),), found_against=(citation("museum"),)
)


def test_one_finding_a_fault_and_the_cheapest_repair_first() -> None:
    drafts = [draft(question=ASK), draft(GOOD, WRONG, LOOSE, question=OPEN), draft(LOOSE, REMARK)]
    drafts[2] = replace(drafts[2], question=LEAD)
    assert diagnose(drafts) == (Unsupported(OPEN, LOOSE), Contradicted(OPEN, WRONG))


def test_a_facet_without_a_claim_is_unanswered() -> None:
    silent = [draft(GOOD, question=OPEN), draft(question=LEAD)]
    assert diagnose(silent) == (Unanswered(LEAD),)
    assert diagnose([draft(REMARK, question=OPEN)]) == (Unanswered(OPEN),)
    assert diagnose([Draft(OPEN)]) == (Unanswered(OPEN),)


def test_a_facet_that_another_ones_claim_speaks_of_is_answered() -> None:
    both = claim("Dr. Okafor has led the museum since it opened in 1881.")
    drafts = [draft(both, question=OPEN), draft(question=LEAD)]
    assert covered(drafts) == {OPEN, LEAD}
    assert diagnose(drafts) == ()


def test_what_cannot_be_checked_and_what_is_disputed_is_no_fault() -> None:
    assert diagnose([draft(UNCHECKED, question=OPEN)]) == ()
    disputed = replace(DISPUTED, verdict=replace(DISPUTED.verdict, support=Support.CONTRADICTED))
    assert diagnose([draft(DISPUTED, disputed, question=OPEN)]) == ()


def test_a_conflict_is_between_documents() -> None:
    found = conflict_of(DISPUTED)
    assert found is not None
    assert (found.one.document_id, found.other.document_id) == ("entry", "museum")
    same = claim("A.", found_for=(citation("entry"),), found_against=(citation("entry"),))
    assert conflict_of(same) is conflict_of(GOOD) is conflict_of(WRONG) is None
    assert with_conflicts(draft(GOOD, DISPUTED, same)).conflicts == (found,)


def score(*drafts: Draft, calls: int = 1) -> Score:
    return score_draft(join(ASK, drafts), drafts, calls)


def test_a_score_is_compared_in_the_order_of_the_method() -> None:
    two = score(draft(GOOD, question=OPEN), draft(claim("She led it."), question=LEAD))
    one = score(draft(GOOD, question=OPEN), Draft(LEAD))
    mixed = score(draft(GOOD, LOOSE, question=OPEN), Draft(LEAD))
    nothing = score(Draft(OPEN), Draft(LEAD))
    wrong = score(
        draft(GOOD, WRONG, question=OPEN), draft(claim("She led it."), question=LEAD), calls=0
    )
    assert two > one > mixed > nothing > wrong
    assert score(draft(GOOD), calls=1) > score(draft(GOOD), calls=2)
    assert score(draft(GOOD, REMARK)) == score(draft(GOOD))  # remarks are not counted
    assert score(draft(GOOD, question=OPEN), draft(GOOD, LOOSE, question=LEAD)) == (0, 2, 0.5, -1)


def test_a_repair_takes_the_place_of_its_fault_wherever_that_is_said() -> None:
    drafts = [draft(LOOSE, GOOD, question=OPEN, names=()), draft(LOOSE, question=LEAD)]
    better = claim("It opened.")
    mended = applied(drafts, Repaired(Unsupported(OPEN, LOOSE), (better,), draft().evidence))
    assert [each.claims for each in mended] == [(better, GOOD), (better,)]
    assert len(mended[0].evidence) == 4
    assert applied(drafts, Repaired(Unsupported(OPEN, LOOSE))) == drafts
    assert applied(drafts, Repaired(Unsupported(OPEN, WRONG), (better,))) == drafts


def test_an_answer_is_appended_to_its_own_facet_only() -> None:
    drafts = [draft(GOOD, question=OPEN), draft(REMARK, question=LEAD)]
    mended = applied(drafts, Repaired(Unanswered(LEAD), (GOOD,)))
    assert [each.claims for each in mended] == [(GOOD,), (GOOD,)]
    assert applied(mended, Repaired(Unanswered(LEAD), (LOOSE,))) == mended  # it is answered now


def queries(draft: Draft) -> list[str]:
    """The searches that the last note of a draft lists."""
    told, _, listed = draft.notes[-1].partition(": ")
    assert "search" in told
    return listed.split("; ")


def searched(text: str, stage: str = "search") -> Event:
    return Event(1, None, stage, 0.0, 0.0, note=text)


@pytest.mark.parametrize("unsupported", UnsupportedPolicy)
def test_where_nothing_holds_the_draft_abstains_and_says_what_was_searched(
    unsupported: UnsupportedPolicy,
) -> None:
    empty = apply_policy(draft(WRONG, LOOSE, REMARK), unsupported)
    assert empty.claims == ()
    assert empty.evidence == draft().evidence
    assert only_says(empty.notes, "2 sentences", "withheld")
    assert only_says(apply_policy(draft(LOOSE), unsupported).notes, "1 sentence ", "withheld")
    assert apply_policy(Draft(ASK), unsupported).notes == ()
    events = [searched("opening"), searched("opening"), searched("wide", "web_search")]
    final = telling_searches(empty, [*events, searched("x", "verify")])
    assert final.notes[:-1] == empty.notes
    assert queries(final) == ["opening", "wide"]  # each search once, and no other stage
    abstained = telling_searches(Draft(ASK), [])
    assert len(abstained.notes) == 1
    assert queries(abstained) == [ASK.text]
    assert telling_searches(draft(GOOD), events) == draft(GOOD)


def test_searches_are_listed_as_they_began_whichever_ended_first() -> None:
    began = [replace(searched(text), id=id_) for id_, text in enumerate(("a", "b", "c"), 1)]
    for ended in permutations(began):
        assert queries(telling_searches(Draft(ASK), ended)) == ["a", "b", "c"]


def test_what_did_not_hold_is_marked_or_dropped() -> None:
    told = draft(GOOD, LOOSE, WRONG, DISPUTED, REMARK, UNCHECKED)
    assert apply_policy(told, UnsupportedPolicy.MARK) == told
    assert apply_policy(told, UnsupportedPolicy.DROP).claims == (GOOD, DISPUTED, REMARK, UNCHECKED)


def test_where_checking_was_not_possible_nothing_is_thrown_away() -> None:
    told = draft(UNCHECKED, LOOSE)
    assert apply_policy(told, UnsupportedPolicy.MARK) == told
    assert apply_policy(told, UnsupportedPolicy.DROP).claims == (UNCHECKED,)


KINDS = st.sampled_from([GOOD, LOOSE, WRONG, REMARK, UNCHECKED, DISPUTED])


@given(st.lists(st.lists(KINDS, max_size=3), max_size=3))
def test_a_repair_that_is_upheld_never_lowers_the_score(claims: list[list[Claim]]) -> None:
    drafts = [
        draft(*each, question=Question(f"Part {n} of the harbour?"))
        for n, each in enumerate(claims)
    ]
    for fault in diagnose(drafts):
        mended = applied(drafts, Repaired(fault, (claim("Something else that holds."),)))
        assert score(*mended) > score(*drafts)
