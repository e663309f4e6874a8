"""Of a long source few windows are read: those that words and vectors find, from one index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pytest

from upheld.errors import ModelError
from upheld.run.trace import start_run
from upheld.text.word_search import WordIndex, best_of
from upheld.types import Citation, Claim, Passage, Support
from upheld.verification.verify import Verify
from upheld_lab.testing.fake_entailment import FakeEntailment

if TYPE_CHECKING:
    from upheld.ports import Vectors

LENGTHS = [1_000, 10_000, 100_000]


def long_source(name: str, characters: int, said: str = "") -> Passage:
    """Sentences that hardly differ, all with the name; what is `said` stands near the end."""
    days, size = list[str](), len(said)
    while size < characters:
        days.append(f"On day {len(days)} of {name} it rained over the long pier.")
        size += len(days[-1]) + 1
    days.insert(-2, said)
    text = " ".join(days)
    return Passage(name, text, name, "v", 0, len(text))


def claim(text: str, *cited: Passage) -> Claim:
    return Claim(text, tuple(Citation(each.id, each.id, "v", 0, 0, "") for each in cited))


@dataclass
class FakeEmbedder:
    """Puts texts that speak of a topic, in any of its words, on the same axis."""

    topics: Sequence[frozenset[str]] = ()
    identity: str = "fake-embedder"
    dimension: int = 4
    embedded: list[str] = field(default_factory=list)
    broken: bool = False

    async def embed(self, texts: Sequence[str]) -> Vectors:
        if self.broken:
            raise ModelError("it is broken")
        self.embedded += texts
        rows = np.full((len(texts), self.dimension), 0.01, np.float32)
        for row, text in zip(rows, texts, strict=True):
            for axis, topic in enumerate(self.topics):
                row[axis] += sum(word in text for word in topic)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows

    async def close(self) -> None: ...


@pytest.mark.parametrize("characters", LENGTHS)
@pytest.mark.parametrize(("cited", "with_vectors"), [(0, True), (1, False), (2, False)])
async def test_a_source_takes_part_in_at_most_six_pairs_for_a_claim(
    characters: int, cited: int, with_vectors: bool
) -> None:
    """All pairs count: its gathered sentences, its windows, and what it says with other sources."""
    model = FakeEntailment()
    sources = [long_source(name, characters) for name in ("Ayr", "Bute", "Cork")]
    stage = Verify(model=model, embedder=FakeEmbedder() if with_vectors else None)
    await stage([claim("On rainy days gulls sleep under the pier.", *sources[:cited])], sources)
    asked = [pair for call in model.asked for pair in call]
    for source in sources:
        pairs = sum(source.id in pair.premise for pair in asked)
        assert 1 <= pairs <= 6


@pytest.mark.parametrize("characters", LENGTHS)
async def test_a_single_source_too(characters: int) -> None:
    model = FakeEntailment()
    source = long_source("Ayr", characters)
    await Verify(model=model)([claim("On rainy days gulls sleep.", source)], [source])
    assert 1 <= sum(map(len, model.asked)) <= 6


async def test_what_is_said_once_in_a_hundred_thousand_characters_is_found_by_words() -> None:
    source = long_source("Ayr", 100_000, "The keeper of the lighthouse keeps two grey cats.")
    [found] = await Verify(model=FakeEntailment())(
        [claim("The lighthouse keeper keeps two cats.")], [source]
    )
    assert found.verdict.support is Support.SUPPORTED
    assert found.verdict.evidence_for[0].quote.startswith("The keeper of the lighthouse")


async def test_what_is_said_in_other_words_is_found_by_vectors() -> None:
    said = "Its warden owns a pair of felines."
    source = long_source("Ayr", 20_000, said)
    topics = [frozenset({"keeper", "cats", "warden", "felines"})]
    read: dict[bool, bool] = {}
    for with_vectors in (False, True):
        model = FakeEntailment()
        embedder = FakeEmbedder(topics) if with_vectors else None
        await Verify(model=model, embedder=embedder)(
            [claim("The keeper has cats on rainy days.")], [source]
        )
        read[with_vectors] = any(said in pair.premise for call in model.asked for pair in call)
    assert read == {False: False, True: True}


async def test_windows_are_embedded_once_for_all_claims_and_short_sources_never() -> None:
    embedder = FakeEmbedder()
    stage = Verify(model=FakeEntailment(), embedder=embedder)
    source = long_source("Ayr", 10_000)
    claims = [claim(f"On day {day} gulls slept.") for day in range(5)]
    with start_run() as run:
        await stage(claims, [source, long_source("Bute", 300)])
    assert len(embedder.embedded) == len(set(embedder.embedded))
    assert not any("Bute" in text for text in embedder.embedded)
    assert [event.stage for event in run.events].count("prepare") == 1


async def test_where_the_embedder_fails_words_must_do() -> None:
    source = long_source("Ayr", 10_000, "The keeper keeps two grey cats.")
    stage = Verify(model=FakeEntailment(), embedder=FakeEmbedder(broken=True))
    with start_run() as run:
        [found] = await stage([claim("The keeper keeps two cats.")], [source])
    assert found.verdict.support is Support.SUPPORTED
    assert run.degraded == []


async def test_more_windows_than_are_embedded_are_searched_by_words() -> None:
    embedder = FakeEmbedder()
    stage = Verify(model=FakeEntailment(), embedder=embedder, most_embedded=20)
    sources = [long_source("Ayr", 10_000), long_source("Bute", 10_000)]
    await stage([claim("On rainy days gulls sleep.")], sources)
    assert any("Ayr" in text for text in embedder.embedded)
    assert not any("Bute" in text for text in embedder.embedded)


async def test_a_claim_does_not_cost_more_where_the_source_is_longer() -> None:
    """What is counted for a source is counted once; each claim adds as much for any length."""

    @dataclass
    class Counting(FakeEntailment):
        counted: int = 0

        def count_tokens(self, text: str) -> int:
            self.counted += 1
            return super().count_tokens(text)

    added: dict[int, int] = {}
    for characters in (10_000, 100_000):
        source = long_source("Ayr", characters)
        model = Counting()
        claims = [claim(f"The day {day} was a rainy one.") for day in range(20)]
        with start_run():
            await Verify(model=model)(claims[:1], [source])
            once = model.counted
            await Verify(model=model)(claims[1:], [source])
        added[characters] = model.counted - once
    assert added[100_000] <= 1.5 * added[10_000]


def test_rare_words_weigh_more_and_vectors_share_the_say() -> None:
    index = WordIndex.of([frozenset({"a", "b"}), frozenset({"a", "c"}), frozenset({"a"})])
    scores = index.bm25({"a", "c", "z"})
    assert scores[1] > scores[0] == scores[2] > 0
    assert index.shared({"a", "b"}) == {0: 2, 1: 1, 2: 1}
    assert best_of(scores, None, 2, 0.5) == [1, 0]
    assert best_of(scores, [0.0, 0.0, 0.9], 1, 0.9) == [2]
    assert best_of([], None, 5, 0.5) == []
