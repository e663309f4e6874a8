"""A suite's passages as a knowledge base: indexed once, and found again by words and by vectors."""

from __future__ import annotations

from pathlib import Path

from upheld.client import AsyncUpheld
from upheld.resources.open import Resources, open_resources
from upheld.settings import load_settings
from upheld.types import Passage, content_hash
from upheld_lab.bench.prepared import SCOPE
from upheld_lab.bench.runs.kb import knowledge_base, settings_for
from upheld_lab.bench.suites.suite import Suite
from upheld_lab.testing.fake_embedder import FakeEmbedder


def passage(id: str, text: str) -> Passage:
    return Passage(id, text, id, content_hash(text), 0, len(text), title="Harrow")


PASSAGES = (
    passage("ferry/1", "The ferry takes 35 minutes."),
    passage("museum/1", "The museum opened in 1881."),
)


def unseen(what: str, done: int, total: int) -> None:
    """Nobody watches."""


async def opened(folder: Path) -> Resources:
    settings = load_settings(kb=str(folder), collection=SCOPE.collection, local_models=False)
    return await open_resources(settings)


async def test_it_is_made_once_and_is_whole(tmp_path: Path) -> None:
    told: list[str] = []
    for _ in range(2):
        folder = await knowledge_base(
            PASSAGES, None, tmp_path, lambda what, done, total: told.append(what)
        )
    assert told == ["indexing"]
    assert [each.name for each in (tmp_path / "kb").iterdir()] == [folder.name]
    parts = await opened(folder)
    found = await AsyncUpheld(parts).search("When did the museum open?", limit=20)
    assert found.passages[0] == PASSAGES[1]
    await parts.close()


async def test_other_passages_and_other_embedders_have_others(tmp_path: Path) -> None:
    embedder = FakeEmbedder()
    folders = {
        await knowledge_base(PASSAGES, None, tmp_path, unseen),
        await knowledge_base(PASSAGES[:1], None, tmp_path, unseen),
        await knowledge_base(PASSAGES, embedder, tmp_path, unseen),
    }
    assert len(folders) == 3
    before = len(embedder.embedded)
    await knowledge_base(PASSAGES, embedder, tmp_path, unseen)
    assert len(embedder.embedded) == before == 2


async def test_a_build_that_failed_leaves_nothing_and_is_made_again(tmp_path: Path) -> None:
    def full(what: str, done: int, total: int) -> None:
        raise OSError("no space left")

    for watch in (full, unseen):
        try:
            folder = await knowledge_base(PASSAGES, None, tmp_path, watch)
        except OSError:
            assert list((tmp_path / "kb").iterdir()) == []
    assert folder.is_dir()


async def test_a_suite_without_passages_is_asked_of_the_users_own(tmp_path: Path) -> None:
    settings = load_settings(kb="mine", collection="staff", local_models=False)
    own = Suite("own", (), (), {})
    assert await settings_for(own, settings, tmp_path, unseen) is settings
    suite = Suite("tiny", (), PASSAGES, {})
    chosen = await settings_for(suite, settings, tmp_path, unseen)
    assert Path(chosen.kb).parent == tmp_path / "kb"
    assert chosen.collection == SCOPE.collection
