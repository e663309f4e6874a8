"""The core values: union by rank, scopes, ids."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from upheld.types import Evidence, Hit, Passage, Scope, Usage, content_hash, passage_id, union


def hit(name: str, score: float = 1.0) -> Hit:
    return Hit(Passage(name, name, "d", "v", 0, len(name)), score, "q")


def test_union_interleaves_by_rank_and_keeps_the_first_meeting() -> None:
    one = Evidence((hit("a", 0.1), hit("b", 0.09)))
    other = Evidence((hit("x", 99.0), hit("a", 98.0), hit("y", 97.0)))
    assert [h.passage.id for h in union(one, other)] == ["a", "x", "b", "y"]


def test_union_ignores_scores_because_queries_do_not_compare() -> None:
    low, high = Evidence((hit("low", 0.01),)), Evidence((hit("high", 50.0),))
    assert [h.passage.id for h in union(low, high)] == ["low", "high"]


@given(st.frozensets(st.text()), st.frozensets(st.text()))
def test_a_scope_admits_unlabelled_documents_and_shared_labels_only(
    allowed: frozenset[str], labels: frozenset[str]
) -> None:
    assert Scope(labels=allowed).admits(frozenset())
    assert Scope(labels=None).admits(labels)
    assert Scope(labels=allowed).admits(labels) == (not labels or bool(allowed & labels))


def test_a_scope_without_labels_sees_no_labelled_document() -> None:
    assert not Scope(labels=frozenset()).admits(frozenset({"board"}))


def test_the_same_text_has_the_same_version_and_passage_id() -> None:
    version = content_hash("Straße 😀")
    assert version == content_hash("Straße 😀".encode())
    assert len(version) == 32
    assert passage_id("doc", version, 3, 9) == f"doc.{version[:12]}.3-9"


def test_lone_surrogates_still_hash() -> None:
    assert content_hash("\ud800") != content_hash("\ud801")


def test_usage_adds_up() -> None:
    one = Usage(requests=1, prompt_tokens=10, cached_tokens=4, completion_tokens=5)
    total = one + one + Usage(searches=2, pairs_checked=3)
    assert (total.requests, total.tokens, total.cached_tokens) == (2, 30, 8)
    assert (total.searches, total.pairs_checked) == (2, 3)


def test_passages_are_searched_with_title_and_headings() -> None:
    passage = Passage("i", "Text.", "d", "v", 0, 5, title="T", heading_path=("A", "B"))
    assert passage.searchable == "T\nA > B\nText."
    assert Passage("i", "Text.", "d", "v", 0, 5).searchable == "Text."


def test_evidence_is_a_sequence_and_a_slice_of_it_is_evidence() -> None:
    found = Evidence((hit("a"), hit("b"), hit("c")))
    assert isinstance(found, Sequence)
    assert found[:2] == Evidence((hit("a"), hit("b"))) == found.top(2)
    assert found[-1] == hit("c")
    assert (len(found), next(reversed(found)), hit("b") in found) == (3, hit("c"), True)
    with pytest.raises(IndexError):
        found[3]


def test_a_citation_names_its_document() -> None:
    passage = Passage("i", "Some text.", "d", "v", 10, 20, "Title", "file:///a.pdf", 3)
    citation = passage.cite(0, 4)
    assert (citation.title, citation.uri, citation.page) == ("Title", "file:///a.pdf", 3)
    assert (citation.start, citation.end, citation.quote) == (10, 14, "Some")
