"""Knowledge refinement: strips are exact, the best stay, and they read in document order."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.messages import only_says
from upheld.errors import BudgetExceededError
from upheld.ports import QueryPassagePair
from upheld.retrieval.distil import Distil, decompose
from upheld.run.budget import Budget
from upheld.run.trace import start_run
from upheld.text.sentences import sentence_spans
from upheld.types import Evidence, Hit, Passage, Question, content_hash, passage_id
from upheld_lab.testing.fake_entailment import Fault
from upheld_lab.testing.fake_grader import FakeGrader

ASK = Question("When do owls hoot?")
NIGHT = (
    "Preface. Owls hoot at night. They hoot to call a mate. An owl has large eyes. Its ears are "
    "uneven. Mice fear it. It eats them whole. Owls hoot most in winter."
)
DAY = "Dogs bark by day. They bark at strangers. A dog has a good nose. It wags its tail."


def passage(
    text: str, start: int = 0, end: int | None = None, document: str = "d", page: int | None = 3
) -> Passage:
    end = len(text) if end is None else end
    version = content_hash(text)
    return Passage(
        passage_id(document, version, start, end),
        text[start:end],
        document,
        version,
        start,
        end,
        title="Birds",
        uri="birds.md",
        page=page,
        heading_path=("Owls",),
        labels=frozenset({"zoo"}),
    )


def evidence(*passages: Passage) -> Evidence:
    return Evidence(tuple(Hit(each, 1.0 / rank, "q") for rank, each in enumerate(passages, 1)))


def helps(*phrases: str, otherwise: float = 0.1) -> FakeGrader:
    """Likes strips with these phrases, the first the most; the others score under -0.5."""

    def score(pair: QueryPassagePair) -> float:
        places = [place for place, phrase in enumerate(phrases) if phrase in pair.text]
        return 0.99 - 0.01 * min(places) if places else otherwise

    return FakeGrader(score=score)


def texts(found: Evidence) -> list[str]:
    return [each.text for each in found.passages]


async def test_the_strips_that_help_stay_in_document_order() -> None:
    found = await Distil(grader=helps("winter", "Preface"))(ASK, evidence(passage(NIGHT)))
    assert texts(found) == [
        "Preface. Owls hoot at night. They hoot to call a mate.",
        "It eats them whole. Owls hoot most in winter.",
    ]
    assert [hit.relevance for hit in found] == pytest.approx([0.96, 0.98])


async def test_a_strip_is_an_exact_passage_of_its_own() -> None:
    parent = passage(NIGHT, 9)
    (hit,) = await Distil(grader=helps("winter"))(ASK, evidence(parent))
    strip = hit.passage
    assert NIGHT[strip.start : strip.end] == strip.text
    assert strip.id == passage_id("d", content_hash(NIGHT), strip.start, strip.end)
    assert (strip.title, strip.uri, strip.page) == (parent.title, parent.uri, parent.page)
    assert (strip.heading_path, strip.labels) == (parent.heading_path, parent.labels)
    assert (hit.score, hit.query) == (1.0, "q")


async def test_documents_come_in_the_order_of_their_best_strip() -> None:
    found = evidence(passage(NIGHT), passage(DAY, document="dogs"))
    distilled = await Distil(grader=helps("nose", "winter", "Preface"))(ASK, found)
    assert [each.document_id for each in distilled.passages] == ["dogs", "d", "d"]
    assert texts(distilled)[1].startswith("Preface")


async def test_only_the_best_are_kept() -> None:
    found = evidence(passage(NIGHT), passage(DAY, document="dogs"))
    distil = Distil(grader=helps("winter", "nose", "Preface"), keep=2)
    assert [text[-7:] for text in texts(await distil(ASK, found))] == ["winter.", "s tail."]


async def test_strips_under_the_bar_are_dropped_and_those_on_it_stay() -> None:
    found = evidence(passage("One. Two."), passage("Three. Four.", document="e"))
    grader = helps("One", otherwise=0.25)
    assert len(await Distil(grader=grader)(ASK, found)) == 2  # 2 * 0.25 - 1 is the bar itself
    assert len(await Distil(grader=grader, drop_below=-0.49)(ASK, found)) == 1
    assert len(await Distil(grader=helps())(ASK, found)) == 0


async def test_strips_that_touch_are_joined() -> None:
    parent = passage(NIGHT)
    found = await Distil(grader=helps("winter", "large eyes"))(ASK, evidence(parent))
    assert texts(found) == [NIGHT[NIGHT.index("An owl") :]]
    assert [hit.relevance for hit in found] == pytest.approx([0.98])


async def test_a_passage_that_stays_whole_stays_itself() -> None:
    parent = passage(NIGHT)
    found = await Distil(grader=helps(otherwise=0.9))(ASK, evidence(parent))
    assert found.passages == (parent,)


async def test_strips_of_two_passages_are_not_joined() -> None:
    middle = NIGHT.index("An owl")
    before, after = passage(NIGHT, 0, middle - 1, page=3), passage(NIGHT, middle, page=4)
    found = await Distil(grader=helps(otherwise=0.9))(ASK, evidence(after, before))
    assert found.passages == (before, after)  # by position, not by rank


async def test_a_passage_or_strip_that_comes_twice_is_graded_once() -> None:
    grader = helps(otherwise=0.9)
    parent = passage(NIGHT, 0, NIGHT.index(" Mice"))
    shorter = passage(NIGHT, NIGHT.index("An owl"), NIGHT.index(" Mice"))
    found = await Distil(grader=grader)(ASK, evidence(parent, parent, shorter))
    assert sorted(pair.text for pair in grader.asked[0]) == [
        "Birds\nOwls\nAn owl has large eyes. Its ears are uneven.",
        "Birds\nOwls\nPreface. Owls hoot at night. They hoot to call a mate.",
    ]
    assert "".join(texts(found)).count("Its ears") == 1


@pytest.mark.parametrize(
    ("sentences", "sizes"),
    [(1, [1]), (2, [2]), (3, [2, 1]), (4, [2, 2]), (5, [3, 2]), (6, [3, 3]), (7, [3, 2, 2])],
)
def test_sizes_of_strips(sentences: int, sizes: list[int]) -> None:
    text = " ".join(f"Owl number {n} hoots." for n in range(sentences))
    (hit,) = evidence(passage(text))
    strips = [strip.passage.text for strip in decompose(hit, 3)]
    assert [strip.count("hoots.") for strip in strips] == sizes


async def test_without_passages_found_the_model_is_not_called() -> None:
    grader = FakeGrader()
    with start_run() as run:
        for each in (grader, None):
            assert await Distil(grader=each)(ASK, Evidence()) == Evidence()
    assert (grader.asked, run.degraded) == ([], [])


@pytest.mark.parametrize("fault", [Fault.ERROR, Fault.NO_PROBABILITY, Fault.TOO_FEW])
async def test_a_grader_that_fails_leaves_the_passages(fault: Fault) -> None:
    found = evidence(passage(NIGHT))
    with start_run() as run:
        assert await Distil(grader=FakeGrader(faults=[fault]))(ASK, found) == found
    assert only_says(run.degraded, "grader failed", "not distilled")


async def test_no_grader_leaves_the_passages() -> None:
    found = evidence(passage(NIGHT))
    with start_run() as run:
        assert await Distil(grader=None)(ASK, found) == found
    assert only_says(run.degraded, "no grader", "not distilled")


async def test_the_budget_passes_through() -> None:
    with start_run(Budget(seconds=0)), pytest.raises(BudgetExceededError):
        await Distil(grader=FakeGrader())(ASK, evidence(passage(NIGHT)))


# --- any text, any scores ------------------------------------------------------------------------

PIECES = st.sampled_from(
    ["Owls hoot. ", "Is it 3.5 m? ", "\n\n", "# Eyes\n", "- an item\n", "鳥は鳴く。", "  ", "e.g. "]
)


def any_score(pair: QueryPassagePair) -> float:
    """What hypothesis makes functions like."""
    raise NotImplementedError


TEXTS = st.one_of(st.lists(PIECES, max_size=14).map("".join), st.text(max_size=80))


@given(
    st.lists(st.tuples(TEXTS, st.lists(st.integers(0, 200), max_size=2)), max_size=3),
    st.integers(1, 4),
    st.integers(0, 6),
    st.functions(like=any_score, returns=st.floats(0, 1), pure=True),
)
async def test_whatever_the_text_and_the_scores(
    documents: list[tuple[str, list[int]]],
    sentences: int,
    keep: int,
    score: Callable[[QueryPassagePair], float],
) -> None:
    whole = {f"d{n}": text for n, (text, _) in enumerate(documents)}
    parents = [
        passage(text, start, end, f"d{n}")
        for n, (text, cuts) in enumerate(documents)
        for start, end in _between(len(text), cuts)
    ]
    distil = Distil(grader=FakeGrader(score=score), keep=keep, sentences=sentences)
    found = await distil(ASK, evidence(*parents))

    assert len(found) <= keep
    seen: dict[str, int] = {}  # where the last strip of a document ended
    for hit in found:
        strip = hit.passage
        assert whole[strip.document_id][strip.start : strip.end] == strip.text
        assert hit.relevance is not None
        assert hit.relevance >= -0.5
        assert any(
            parent.document_id == strip.document_id
            and parent.start <= strip.start <= strip.end <= parent.end
            for parent in parents
        )
        assert strip.start >= seen.get(strip.document_id, 0)  # in order, never overlapping
        seen[strip.document_id] = strip.end
    order = [each.document_id for each in found.passages]
    assert order == sorted(order, key=order.index)  # a document is in one place
    bests = [
        max(hit.relevance or 0 for hit in found if hit.passage.document_id == each)
        for each in dict.fromkeys(order)
    ]
    assert bests == sorted(bests, reverse=True)


@given(TEXTS, st.integers(1, 4))
def test_strips_together_hold_every_sentence(text: str, sentences: int) -> None:
    (hit,) = evidence(passage(text))
    strips = list(decompose(hit, sentences))
    assert all(one.end <= other.start for one, other in pairwise(strips))
    spans = sentence_spans(text)
    held = [
        sum(strip.start <= start and end <= strip.end for start, end in spans) for strip in strips
    ]
    assert sum(held) == len(spans)
    if len(spans) > 2:
        assert len(strips) > 1
        assert all(1 <= each <= sentences for each in held)
    else:
        assert [strip.passage for strip in strips] == [hit.passage]


def _between(length: int, cuts: list[int]) -> list[tuple[int, int]]:
    borders = sorted({0, length, *(min(cut, length) for cut in cuts)})
    return list(pairwise(borders)) or [(0, 0)]
