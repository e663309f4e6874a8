"""`upheld index`, killed at random moments and run again: the command itself, on real files."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.integration.places import Place
from upheld.types import Scope

FILES, KILLS = 120, 5
ALL = Scope()


def index_command(folder: Path, place: Place) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "upheld", "index", str(folder), "--kb", place.root],
        # Words only: the embedder would make this slower, not harder.
        env={
            **os.environ,
            "UPHELD_LOCAL_MODELS": "false",
            "UPHELD_STORAGE": json.dumps(place.storage_options),
        },
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder.parent,
    )


async def acknowledged(place: Place) -> set[str]:
    """What a reader sees: every document listed is whole, and found once."""
    index = await place.open(None, None)
    infos = await index.documents(ALL)
    for info in infos:
        text = await index.document_text(info.id, ALL)
        assert text.startswith(f"The word is {Path(info.uri).stem}.")
    hits = await index.bm25("word stands", ALL, 10 * FILES)
    found = Counter(hit.passage.document_id for hit in hits)
    assert found == Counter({info.id: info.passages for info in infos})
    await index.close()
    return {Path(info.uri).stem for info in infos}


@pytest.mark.campaign
async def test_nothing_that_still_exists_is_deleted(tmp_path: Path, place: Place) -> None:
    """Files come and go between runs that are killed; the last run, whole, has the last word."""
    folder = tmp_path / "files"
    folder.mkdir()
    chance = random.Random(11)
    seen: set[str] = set()
    for turn in range(KILLS):
        for number in range(turn * 20, turn * 20 + 20):
            (folder / f"w{number}.txt").write_text(f"The word is w{number}.\n\nIt stands here.")
        for name in chance.sample(sorted(seen), min(4, len(seen))):
            (folder / f"{name}.txt").unlink(missing_ok=True)
        process = index_command(folder, place)
        try:
            process.wait(timeout=chance.uniform(0.5, 4))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
        now = await acknowledged(place)
        assert {name for name in seen if (folder / f"{name}.txt").exists()} <= now
        seen = now
    assert index_command(folder, place).wait(timeout=120) == 0
    assert await acknowledged(place) == {path.stem for path in folder.iterdir()}


@pytest.mark.campaign
async def test_nothing_is_lost_or_doubled(tmp_path: Path, place: Place) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    for number in range(FILES):
        text = f"The word is w{number}.\n\n" + "It stands here alone. " * random.randint(1, 30)
        (folder / f"w{number}.txt").write_text(text, encoding="utf-8")
    seen: set[str] = set()
    chance = random.Random(7)
    for _ in range(KILLS):
        process = index_command(folder, place)
        try:
            process.wait(timeout=chance.uniform(0.5, 6))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
        now = await acknowledged(place)
        assert seen <= now
        seen = now
    assert index_command(folder, place).wait(timeout=120) == 0
    assert await acknowledged(place) == {f"w{number}" for number in range(FILES)}
