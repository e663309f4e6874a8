"""Choosing sentences by their features, and the probability that they answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from upheld.generation.candidates import Candidate, sentences_of
from upheld.generation.choose import (
    ABSTAIN_BELOW,
    MEDIAN_MARGIN,
    Ranked,
    p_right,
    pick_sentences,
    rank_sentences,
    right_features,
)
from upheld.generation.extract import ExtractiveWriter
from upheld.generation.sentence_features import SentenceFeatures, sentence_features
from upheld.run.trace import start_run
from upheld.types import Evidence, Hit, Passage, Question
from upheld_lab.testing.fake_embedder import FakeEmbedder
from upheld_lab.testing.fake_entailment import Fault
from upheld_lab.testing.fake_grader import FakeGrader

TEXT = (
    "- `max_clients` (`integer`): Sets how many clients may connect. The default is 100. "
    "It can only be set at server start."
)
PASSAGE = Passage("p", TEXT, "d", "v", 0, len(TEXT), title="Settings")
OTHER = Passage("o", "The server writes a log.", "e", "v", 0, 24, title="Logs")
ASKED = "How many clients may connect by default?"
HITS = Evidence((Hit(PASSAGE, 1.0, ASKED, 0.8), Hit(OTHER, 0.5, ASKED, -0.8)))


def known() -> tuple[list[Candidate], list[SentenceFeatures]]:
    candidates = sentences_of(HITS.passages)
    with start_run():
        features = sentence_features(ASKED, HITS, [0.9, 0.1], candidates, [0.5] * 4, [0.5] * 4)
    return candidates, features


def ranked() -> list[Ranked]:
    return rank_sentences(*known())


def test_the_features_of_a_sentence() -> None:
    _, (first, second, _, last) = known()
    assert (second.kind, second.default) == (1, 1)
    assert (first.kind, first.default) == (-1, -1)
    assert first.passage > last.passage
    assert first.search == 1
    assert last.search == 0.5


def test_the_best_comes_first_then_what_it_is_about() -> None:
    best, *others = pick_sentences(ranked(), 3)
    assert best.text == "The default is 100."
    assert [each.start for each in others] == [0]  # which says what it is the default of


def test_those_that_are_nearly_as_good_follow() -> None:
    alike = [replace(each, candidate=replace(each.candidate, score=0.0)) for each in ranked()]
    best, *others = pick_sentences(alike, 3)
    assert best == alike[0].candidate
    assert len(others) == 2


def test_what_the_best_sentence_contains_is_not_quoted_again() -> None:
    whole, *_ = ranked()
    inside = replace(whole.candidate, start=whole.candidate.start + 4)
    assert pick_sentences([whole, replace(whole, candidate=inside)], 3) == [whole.candidate]


def test_a_better_sentence_makes_a_right_answer_likelier() -> None:
    features = right_features(ranked())
    better = features | {"best": features["best"] + 1}
    assert 0 < p_right(features) < p_right(better) < 1


def test_where_there_is_no_other_passage_the_best_sentence_leads_as_usual() -> None:
    alone = [each for each in ranked() if each.candidate.passage == PASSAGE]
    assert right_features(alone)["margin"] == pytest.approx(MEDIAN_MARGIN)


def writer(score: float, abstain_below: float) -> ExtractiveWriter:
    grader, embedder = FakeGrader(score=lambda pair: score), FakeEmbedder()
    return ExtractiveWriter(
        grader=grader,
        embedder=embedder,
        abstain_below=abstain_below,
        fitted_for=(grader.identity, embedder.identity),
    )


async def test_the_writer_tells_how_probably_it_is_right() -> None:
    with start_run():
        draft = await writer(0.9, abstain_below=0.0)(Question(ASKED), HITS)
    assert draft.claims
    assert draft.p_right is not None
    assert 0 < draft.p_right < 1


async def test_what_probably_does_not_answer_is_only_named() -> None:
    with start_run():
        draft = await writer(0.9, abstain_below=1.0)(Question(ASKED), HITS)
    assert draft.claims == ()
    (note,) = draft.notes
    assert note.startswith("nearest, but probably no answer")
    assert "(Settings)" in note


async def test_with_other_models_nobody_knows_how_probable_it_is() -> None:
    other = replace(writer(0.9, abstain_below=1.0), fitted_for=("another", "model"))
    with start_run():
        draft = await other(Question(ASKED), HITS)
    assert draft.claims
    assert draft.p_right is None


async def test_without_a_grader_sentences_are_quoted_by_words() -> None:
    with start_run():
        draft = await ExtractiveWriter(embedder=FakeEmbedder())(Question(ASKED), HITS)
    assert draft.claims
    assert draft.p_right is None


async def test_a_grader_that_fails_is_named_and_done_without() -> None:
    failing = FakeGrader(faults=[Fault.ERROR])
    with start_run() as run:
        draft = await ExtractiveWriter(grader=failing, embedder=FakeEmbedder())(
            Question(ASKED), HITS
        )
    assert draft.claims
    assert draft.p_right is None
    assert "the grader failed, sentences are quoted without grades" in run.degraded[0]


def test_the_threshold_is_a_probability() -> None:
    assert 0 < ABSTAIN_BELOW < 1
