"""Windows hold whole sentences, miss none, and are never longer than asked."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from upheld_lab.training.verifier.windows import gathered, windows

SENTENCES = st.lists(st.integers(1, 30).map(lambda n: " ".join(["word"] * n)), max_size=40)


@given(SENTENCES, st.integers(30, 60))
def test_windows_cover_everything_within_their_size(sentences: list[str], words: int) -> None:
    found = windows(sentences, words)
    assert {i for a, b in found for i in range(a, b)} == set(range(len(sentences)))
    assert all(sum(len(s.split()) for s in sentences[a:b]) <= words for a, b in found)
    assert all(before < after for (before, _), (after, _) in itertools.pairwise(found))


def test_far_evidence_is_gathered_in_the_order_of_the_text() -> None:
    filler = ["Nothing of interest stands in this long line of words."] * 30
    text = ["The bridge opened in 1932.", *filler, "Its architect was Maria Lopez.", *filler]
    chosen = gathered(text, "The bridge that Maria Lopez designed opened in 1932.", words=30)
    assert {0, 31} <= set(chosen)
    assert chosen == sorted(chosen)


@given(SENTENCES, st.integers(30, 60))
def test_what_is_gathered_fits(sentences: list[str], words: int) -> None:
    chosen = gathered(sentences, "a word", words)
    assert sum(len(sentences[i].split()) for i in chosen) <= words
    assert bool(chosen) == bool(sentences)
