"""Passages that are mixed from real ones, and the exact neighbours that searches are held to."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from upheld_lab.bench.growth.mixed import BLOCK, IN_DOCUMENT, Mixer, mix
from upheld_lab.bench.growth.run import bars
from upheld_lab.bench.growth.size import Nearest

DICE = np.random.default_rng(0)
DRAWN = DICE.standard_normal((40, 8)).astype(np.float32)
VECTORS = mix(DRAWN, DICE.integers(40, size=(2, 40)), (0.2, 0.4), DICE)


def test_mixed_passages_are_the_same_each_time_and_lie_where_they_say() -> None:
    mixer = Mixer(
        [f"one two three four {n}" for n in range(40)], ["Title"] * 40, VECTORS, (0.1, 0.4)
    )
    documents = mixer.documents(3)
    assert len(documents) == BLOCK // IN_DOCUMENT
    assert documents[7].passages == mixer.documents(3)[7].passages
    for each in documents[:5]:
        for passage in each.passages:
            assert each.document.text[passage.start : passage.end] == passage.text
    vectors = np.concatenate([each.vectors for each in documents if each.vectors is not None])
    assert np.allclose(vectors, mixer.vectors_of(3))
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_the_exact_neighbours_do_not_depend_on_the_blocks() -> None:
    ids = [f"p{n}" for n in range(40)]
    whole, parts = Nearest(VECTORS[:3]), Nearest(VECTORS[:3])
    whole.see(ids, VECTORS)
    parts.see(ids[:15], VECTORS[:15])
    parts.see(ids[15:], VECTORS[15:])
    assert whole.ids == parts.ids
    assert [found[0] for found in whole.ids] == ["p0", "p1", "p2"]
    assert whole.recall(whole.ids) == 1.0
    assert whole.recall([found[:5] for found in whole.ids]) == 0.5


def test_bars_are_of_a_million_or_not_at_all() -> None:
    small = {"place": "folder", "passages": 10_000, "hybrid p50": 10.0, "memory MB": 500.0}
    large = {**small, "passages": 1_000_000, "hybrid p50": 25.0, "memory MB": 900.0}
    large |= {"hybrid over bare": 1.1, "recall@10": 0.97, "visible after s": 1.0}
    assert bars([small]) == {}
    assert bars([small, large])["p50_1e6_over_1e4"] == pytest.approx(2.5)


def test_memory_is_that_of_the_process_alone() -> None:
    """The peak that `getrusage` tells begins with the one of whoever started the process."""
    large = np.ones(100_000_000, np.float32)  # 400 MB, which this process has and a child has not
    code = "from upheld_lab.bench.growth.queries import _peak_memory; print(_peak_memory())"
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert 0 < int(told.stdout) < large.nbytes
