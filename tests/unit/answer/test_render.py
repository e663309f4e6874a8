"""Rendering: marks after the full stop, claims at their places, sources in order of first use."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from upheld._internal.to_json import to_json
from upheld.answer.render import NOTHING_WRITTEN, render
from upheld.run.trace import Run
from upheld.types import (
    Citation,
    Claim,
    Draft,
    Evidence,
    Hit,
    Passage,
    Question,
    Scope,
    Status,
    Support,
    Verdict,
)


def passage(name: str) -> Passage:
    return Passage(name, f"Text {name}.", f"doc-{name}", "v", 0, 7)


def claim(text: str, *cites: str) -> Claim:
    return Claim(text, tuple(Citation(c, f"doc-{c}", "v", 0, 7, f"Text {c}.") for c in cites))


def draft(*claims: Claim, of: str = "abc") -> Draft:
    return Draft(Question("q"), claims, Evidence(tuple(Hit(passage(c), 1.0, "q") for c in of)))


def test_marks_follow_the_sentence_and_count_from_one() -> None:
    answer = render(draft(claim("One.", "b"), claim("Two.", "a", "b")), method="rag", run=Run())
    assert answer.text == "One. [1] Two. [1][2]"
    assert [source.id for source in answer.sources] == ["b", "a"]
    assert answer.status is Status.ANSWERED


def test_nothing_written_is_an_abstention() -> None:
    answer = render(draft(), method="rag", run=Run())
    assert (answer.status, answer.claims) == (Status.ABSTAINED, ())
    assert "do not answer" in answer.text


def test_claims_of_white_space_are_no_answer() -> None:
    answer = render(draft(claim(" \n", "a")), method="rag", run=Run())
    assert (answer.status, answer.claims) == (Status.ABSTAINED, ())


def test_a_run_that_failed_does_not_blame_the_documents() -> None:
    answer = render(draft(), method="rag", run=Run(), status=Status.FAILED)
    assert answer.text == NOTHING_WRITTEN[Status.FAILED] != NOTHING_WRITTEN[Status.ABSTAINED]


def test_a_citation_of_a_passage_not_in_evidence_gets_no_mark() -> None:
    answer = render(draft(claim("One.", "zz")), method="rag", run=Run())
    assert answer.text == "One."
    assert answer.sources == ()


def test_marks_of_a_source_are_not_taken_for_ours() -> None:
    said = (claim("It opened in 1881.", "a"), claim("[2] Ada built it.[3]", "a"))
    code = claim("argv[1] is a word, ARRAY[1,2] and n[3][3] are two.", "b")
    answer = render(draft(*said, code), method="rag", run=Run())
    assert answer.text == f"It opened in 1881. [1] Ada built it. [1] {code.text} [2]"


def test_what_was_left_out_does_not_answer_the_question() -> None:
    cats = replace(claim("Cats sleep.", "a"), verdict=Verdict(Support.SUPPORTED, 0.9))
    written = replace(draft(claim("It opened in 1881.", "b"), cats), p_right=0.9)
    assert render(written, method="rag", run=Run()).p_right == 0.9
    kept = render(written, method="rag", run=Run(), keep_supported=True)
    assert (kept.text, kept.p_right) == ("Cats sleep. [1]", None)


@given(st.lists(st.tuples(st.text(min_size=1), st.lists(st.sampled_from("abc"))), max_size=6))
def test_each_claim_stands_where_it_says(claims: list[tuple[str, list[str]]]) -> None:
    answer = render(draft(*(claim(t, *c) for t, c in claims)), method="rag", run=Run())
    for each in answer.claims:
        assert answer.text[each.start : each.end] == each.text


def test_plain_data_is_stable_and_complete() -> None:
    scope = Scope(labels=frozenset("zyxwv"))
    assert to_json(scope) == {"collection": "default", "labels": ["v", "w", "x", "y", "z"]}
    answer = to_json(render(draft(claim("One.", "a")), method="rag", run=Run()))
    assert answer["status"] == "answered"
    assert answer["claims"][0]["verdict"]["support"] == "not_checked"  # nobody has looked at it
    assert answer["claims"][0]["citations"][0]["quote"] == "Text a."
