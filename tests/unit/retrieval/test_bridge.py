"""The other half of an answer: what a passage names is looked for, and kept if it looks right."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from tests.messages import only_says
from upheld.generation.extract import ExtractiveWriter
from upheld.generation.extractive_answerer import ExtractiveAnswerer
from upheld.retrieval.bridge import Bridge, bare, names, odds, probability
from upheld.run.trace import start_run
from upheld.types import Evidence, Hit, Passage, Question
from upheld_lab.testing.fake_grader import FakeGrader


def passage(title: str, text: str) -> Passage:
    return Passage(title, text, f"doc-{title}", "v1", 0, len(text), title=title)


FILM = passage("The Gale (film)", "The Gale is a film that Ada Lund made in 1931.")
MAKER = passage("Ada Lund", "Ada Lund made films. She was born in Harrow.")
TOWN = passage("Harrow", "Harrow is a town with a harbour.")
ASK = Question("Where was the person born who made the film The Gale?")


@dataclass
class Shelf:
    """Finds the same passages whatever is asked, and remembers what was."""

    passages: tuple[Passage, ...] = (FILM, MAKER, TOWN)
    queries: list[str] = field(default_factory=list)

    async def __call__(self, question: Question) -> Evidence:
        self.queries.append(question.text)
        return Evidence(tuple(Hit(each, 1.0, question.text) for each in self.passages))


async def test_what_a_passage_names_is_looked_for_with_what_it_says() -> None:
    shelf = Shelf()
    with start_run():
        named = await Bridge(search=shelf, grader=FakeGrader()).named(ASK, {FILM: FILM.text})
    assert shelf.queries == [f"{ASK.text} {FILM.text}"]
    assert [hit.passage.id for hit in named] == ["Ada Lund"]  # the film does not name the town
    assert named.hits[0].relevance is not None


async def test_what_is_at_hand_already_is_not_found_again() -> None:
    both = {FILM: FILM.text, MAKER: MAKER.text}
    with start_run():
        named = await Bridge(search=Shelf(), grader=FakeGrader()).named(ASK, both)
    assert [hit.passage.id for hit in named] == ["Harrow"]


async def test_only_what_looks_like_the_other_half_is_kept() -> None:
    with start_run() as run:
        kept = await Bridge(search=Shelf(), grader=FakeGrader(), floor=0.0)(ASK, {FILM: "x"})
        none = await Bridge(search=Shelf(), grader=FakeGrader(), floor=1.0)(ASK, {FILM: "x"})
    assert [len(kept), len(none)] == [1, 0]
    notes = [event.note for event in run.events if event.stage == "bridge" and event.note]
    assert [note[:6] for note in notes] == ["1 of 1", "0 of 1"]


async def test_without_grades_nothing_is_kept_and_the_run_says_so() -> None:
    with start_run() as run:
        assert not await Bridge(search=Shelf(), grader=None)(ASK, {FILM: FILM.text})
    assert only_says(run.degraded, "no grader", "left out")


@pytest.mark.parametrize(
    ("one", "other", "named"),
    [
        (FILM, MAKER, True),
        (FILM, FILM, False),
        (MAKER, FILM, False),
        (passage("The Gale", "The Gale (film) is a film."), FILM, False),  # but for brackets, one
        (passage("Trade", "They sell HARROW hats."), TOWN, True),
        (passage("Trade", "They harrowed the field."), TOWN, False),
        (FILM, passage("", "Without a title."), False),
    ],
)
def test_a_title_that_is_not_its_own(one: Passage, other: Passage, named: bool) -> None:
    assert names(one, other) is named


def test_what_only_tells_a_title_from_others_does_not_count() -> None:
    assert bare("The Gale (film)") == "the gale"
    assert bare("(film)") == ""


def test_a_hit_without_a_grade_has_probability_zero() -> None:
    assert probability(odds(Hit(MAKER, 1.0, ASK.text))) == 0.0


def test_a_better_grade_makes_it_likelier() -> None:
    assert probability(-3.0) < probability(0.0) < probability(3.0)
    assert probability(0.0, (1.0, 0.0)) == 0.5


async def test_the_writer_quotes_both_halves_and_cites_each() -> None:
    found = Evidence((Hit(FILM, 1.0, ASK.text, 0.5),))
    bridge = Bridge(search=Shelf(), grader=FakeGrader(), floor=0.0)
    with start_run():
        draft = await ExtractiveAnswerer(quote=ExtractiveWriter(keep_within=0.1), bridge=bridge)(
            ASK, found
        )
        alone = await ExtractiveAnswerer(quote=ExtractiveWriter())(ASK, found)
    cited = {claim.citations[0].passage_id for claim in draft.claims}
    assert cited == {FILM.id, MAKER.id}
    assert {claim.citations[0].passage_id for claim in alone.claims} == {FILM.id}
    assert [hit.passage.id for hit in draft.evidence] == [FILM.id, MAKER.id]


async def test_what_was_found_and_is_named_stands_in_the_evidence_once() -> None:
    found = Evidence((Hit(FILM, 1.0, ASK.text, 0.9), Hit(MAKER, 0.1, ASK.text, -0.9)))
    bridge = Bridge(search=Shelf(), grader=FakeGrader(), floor=0.0)
    with start_run():
        draft = await ExtractiveAnswerer(quote=ExtractiveWriter(keep_within=0.1), bridge=bridge)(
            ASK, found
        )
    assert [hit.passage.id for hit in draft.evidence] == [FILM.id, MAKER.id]
