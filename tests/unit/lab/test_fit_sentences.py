"""The fit of the sentence chooser: right sentences, and questions without their gold passage."""

from __future__ import annotations

from dataclasses import fields, replace

from upheld.generation.candidates import Candidate
from upheld.generation.choose import SENTENCE
from upheld.generation.sentence_features import SentenceFeatures
from upheld.types import Passage
from upheld_lab.bench.suites.suite import Asked
from upheld_lab.fits.sentences import Read, answer, answers, fit_right, fit_sentence

PLAIN = SentenceFeatures(**{each.name: 0.0 for each in fields(SentenceFeatures)})


def read(number: int, grade: float = 2.0) -> Read:
    """A question with a gold passage and another one, of which the gold sentence is graded so."""
    gold = Passage(f"gold{number}", "It opened in 1881.", "d", "v", 0, 18)
    other = Passage(f"other{number}", "It is very old.", "e", "v", 0, 15)
    asked = Asked(f"q{number}", "set", "When did it open?", ("1881",), gold=frozenset({gold.id}))
    candidates = (Candidate(gold, 0, 0, 18), Candidate(other, 1, 0, 15))
    jitter = 0.1 * number
    features = (replace(PLAIN, grade=grade + jitter), replace(PLAIN, grade=-2.0 - jitter))
    return Read(asked, candidates, features)


def test_a_sentence_answers_if_it_has_the_answer_and_its_passage_is_gold() -> None:
    first, second = read(0).candidates
    asked = read(0).asked
    assert answers(asked, first)
    assert not answers(asked, second)
    assert not answers(asked, replace(first, passage=second.passage))
    assert not answers(replace(asked, answerable=False), first)


def test_weights_rank_right_sentences_first() -> None:
    weights = fit_sentence([read(n) for n in range(6)])
    assert weights["grade"] > 0
    assert weights.keys() == SENTENCE.keys()
    told = answer(read(7), weights)
    assert told.right
    assert told.first


def test_what_is_known_of_answers_tells_right_from_wrong() -> None:
    some = [read(n) for n in range(6)] + [read(n, grade=-4.0) for n in range(6)]
    weights = fit_sentence(some[:6])
    told = [answer(each, weights) for each in some]
    assert {each.right for each in told} == {True}  # both sentences are quoted
    told = [replace(each, right=n < 6) for n, each in enumerate(told)]
    assert set(fit_right(told)) == {"best", "margin", "cosine", "grade", "shift"}
