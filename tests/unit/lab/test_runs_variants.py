from __future__ import annotations

import pytest

from upheld.errors import UsageError
from upheld_lab.bench.runs.records import Variant
from upheld_lab.bench.runs.variants import for_suite, parse_variants, told


def test_methods_with_what_is_changed_of_them() -> None:
    text = "rag, rag:search=bm25+rerank=false,fave:sessions=2 ,a2r:preset=paper+rounds=1"
    assert parse_variants(text) == (
        Variant("rag"),
        Variant("rag", {"search": "bm25", "rerank": "false"}),
        Variant("fave", {"sessions": "2"}),
        Variant("a2r", {"preset": "paper", "rounds": "1"}),
    )


def test_the_name_of_a_variant_is_read_as_the_variant() -> None:
    text = "rag:search=bm25+rerank=false,a2r:preset=paper,crag+gate:strips=false,a2r+gate"
    for variant in parse_variants(text):
        assert parse_variants(variant.name) == (variant,)


def test_a_method_behind_the_gate() -> None:
    plain, gated, changed = parse_variants("rag,rag+gate,crag+gate:strips=false")
    assert told(gated) == (None, {"relevance_gate": "true"})
    assert told(changed) == (None, {"relevance_gate": "true", "strips": "false"})
    assert [each.name for each in (plain, gated, changed)] == [
        "rag",
        "rag+gate",
        "crag+gate:strips=false",
    ]
    for written in ("rag:relevance_gate=true", "rag:relevance_gate=on"):
        assert parse_variants(written) == (gated,)
    (open_gate,) = parse_variants("upheld:relevance_gate=false")
    assert open_gate.name == "upheld:relevance_gate=false"


def test_a_preset_is_told_apart_from_parameters() -> None:
    (variant,) = parse_variants("a2r:preset=paper+rounds=1")
    assert told(variant) == ("paper", {"rounds": "1"})
    assert told(Variant("rag")) == (None, {})


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("rga", "Did you mean rag"),
        ("rag:rerak=false", "did you mean 'rerank'"),
        ("fave:sessions=99", "sessions"),
        ("a2r:preset=papers", "no preset 'papers'"),
        ("rag,crag,rag", "Named twice: rag"),
        ("", "No method"),
        (" , ", "No method"),
        ("rag:", "cannot be read"),
        ("rag:rerank", "cannot be read at 'rerank'"),
        ("rag:rerank=", "cannot be read"),
        ("rag:rerank=true+rerank=false", "cannot be read at 'rerank=false'"),
        (":rerank=true", "no method ''"),
        ("rag+gat", "cannot be read at '\\+gat'"),
        ("rag+gate+gate", "cannot be read"),
        ("rag+gate,rag:relevance_gate=yes", "Named twice: rag\\+gate"),
    ],
)
def test_what_cannot_run_is_refused_at_once(text: str, match: str) -> None:
    with pytest.raises(UsageError, match=match):
        parse_variants(text)


def test_suites_of_sources_that_disagree_look_for_that() -> None:
    variants = parse_variants("rag,upheld,upheld:detect_conflicts=false,upheld:rounds=1")
    assert [each.name for each in for_suite(variants, "short+poison")] == [
        "rag",
        "upheld:detect_conflicts=true",
        "upheld:detect_conflicts=false",
        "upheld:rounds=1+detect_conflicts=true",
    ]
    assert for_suite(variants, "short") == variants
    both = parse_variants("upheld,upheld:detect_conflicts=true")
    assert for_suite(both, "conflict") == both
