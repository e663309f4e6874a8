"""Nothing is deleted that still exists, or of which nobody can say that it does not."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.engine.test_ingest_add_files import ALL, Library
from upheld.add_report import AddReport
from upheld.errors import ModelError, NotFoundError
from upheld.ingest import add_files
from upheld.ingest.walk import find_files
from upheld.ingest.worker import ReadWorker


@pytest.fixture(scope="module")
def reader() -> Iterator[ReadWorker]:
    with ReadWorker() as worker:
        yield worker


@pytest.fixture
async def library(tmp_path: Path, reader: ReadWorker) -> Library:
    """Thirty documents, twelve of them on a share, all indexed."""
    folder = tmp_path / "docs"
    library = Library(folder, reader)
    for number in range(18):
        library.write(f"local/{number:02}.txt", f"Local number {number}.")
    for number in range(12):
        library.write(f"share/{number:02}.txt", f"Shared number {number}.")
    assert (await library.add()).added == 30
    return library


async def count(library: Library) -> int:
    return len(await library.index.documents(ALL))


def names(uris: tuple[str, ...]) -> list[str]:
    return sorted("/".join(Path(uri).parts[-2:]) for uri in uris)


async def kept_all(library: Library, report: AddReport, *, of: int = 30) -> None:
    assert (report.deleted, report.deleted_uris) == (0, ())
    assert await count(library) == of


async def test_a_deleted_document_is_named(library: Library) -> None:
    (library.folder / "local/03.txt").unlink()
    report = await library.add()
    assert (report.deleted, names(report.deleted_uris)) == (1, ["local/03.txt"])
    assert report.not_deleted_uris == ()
    assert await count(library) == 29


@pytest.mark.parametrize("prune", [False, True])
async def test_a_folder_that_cannot_be_listed_is_not_gone(
    library: Library, monkeypatch: pytest.MonkeyPatch, prune: bool
) -> None:
    (library.folder / "local/03.txt").unlink()
    refuse(monkeypatch, library.folder / "share", errno.EACCES)
    library.write("local/new.txt", "A new one.")
    report = await library.add(prune=prune)
    assert report.added == 1, "what can be listed is indexed"
    assert [(Path(each.path).name, each.reason) for each in report.unlisted] == [
        ("share", "cannot be looked at: Permission denied")
    ]
    assert names(report.not_deleted_uris) == ["local/03.txt"]
    assert "share cannot be looked at" in report.not_deleted_because
    await kept_all(library, report, of=31)


def refuse(monkeypatch: pytest.MonkeyPatch, folder: Path, number: int) -> None:
    """Let listing one folder fail, as the kernel would say it."""
    scandir = os.scandir

    def listed(path: Any) -> Any:
        if Path(path) == folder:
            raise OSError(number, os.strerror(number), str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", listed)


async def test_an_entry_whose_kind_cannot_be_told_is_not_gone(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """File systems that do not tell an entry's kind are asked for it: that can fail by itself."""
    scandir = os.scandir

    class Entry:
        def __init__(self, entry: os.DirEntry[str]) -> None:
            self.name, self.path = entry.name, entry.path

        def is_dir(self, *, follow_symlinks: bool = True) -> bool:
            raise OSError(errno.EIO, os.strerror(errno.EIO), self.path)

    class Listed:
        def __init__(self, path: Path) -> None:
            self.path = path

        def __enter__(self) -> list[Any]:
            with scandir(self.path) as entries:
                return [Entry(each) if each.name == "share" else each for each in entries]

        def __exit__(self, *error: object) -> None: ...

    monkeypatch.setattr(os, "scandir", Listed)
    report = await library.add()
    assert "Input/output error" in report.unlisted[0].reason
    await kept_all(library, report)


async def test_an_empty_mount_point_is_not_an_emptied_folder(library: Library) -> None:
    for file in (library.folder / "share").iterdir():
        file.unlink()
    (library.folder / "share/.mount").touch()
    report = await library.add()
    assert len(report.not_deleted_uris) == 12
    await kept_all(library, report)


async def test_an_empty_mount_point_of_few_documents_is_not_either(library: Library) -> None:
    library.write("small/one.txt", "One document on a share of its own.")
    await library.add()
    (library.folder / "small/one.txt").unlink()
    report = await library.add()
    assert "small is empty" in report.not_deleted_because
    await kept_all(library, report, of=31)
    (library.folder / "small").rmdir()
    assert names((await library.add()).deleted_uris) == ["small/one.txt"]


@pytest.mark.parametrize("leave_folder", [True, False])
async def test_a_root_that_is_empty_or_missing_keeps_its_documents(
    library: Library, leave_folder: bool
) -> None:
    shutil.rmtree(library.folder)
    if leave_folder:
        library.folder.mkdir()
        report = await library.add()
        assert "no document of" in report.not_deleted_because
        await kept_all(library, report)
    else:
        with pytest.raises(NotFoundError, match="Nothing was indexed or deleted"):
            await library.add()
        assert await count(library) == 30
    report = await library.add(prune=True)
    assert (report.deleted, len(report.deleted_uris)) == (30, 30)
    assert await count(library) == 0


async def test_all_documents_of_a_small_root_need_consent_too(library: Library) -> None:
    other = library.folder.parent / "other"
    other.mkdir()
    (other / "note.txt").write_text("A note.")
    (other / "photo.xyz").write_bytes(b"no document")
    await library.add(other)
    (other / "note.txt").unlink()
    report = await library.add(other)
    assert names(report.not_deleted_uris) == ["other/note.txt"]
    await kept_all(library, report, of=31)


@pytest.mark.parametrize(("lost", "deleted"), [(10, 10), (11, 0)])
async def test_more_than_a_tenth_and_over_ten_need_consent(
    library: Library, lost: int, deleted: int
) -> None:
    for number in range(lost):
        (library.folder / f"local/{number:02}.txt").unlink()
    report = await library.add()
    assert report.deleted == deleted
    assert len(report.not_deleted_uris) == lost - deleted
    assert await count(library) == 30 - deleted
    assert (await library.add(prune=True)).deleted == lost - deleted


async def test_a_tenth_of_many_needs_no_consent(library: Library) -> None:
    for number in range(90):
        library.write(f"more/{number:02}.txt", f"More number {number}.")
    await library.add()
    for number in range(12):
        (library.folder / f"more/{number:02}.txt").unlink()
    assert (await library.add()).deleted == 12


async def test_a_file_that_cannot_be_read_holds_deletion_back(library: Library) -> None:
    (library.folder / "local/03.txt").unlink()
    library.write("local/broken.pdf", "%PDF-1.4 nothing more")
    report = await library.add()
    assert "broken.pdf could not be read" in report.not_deleted_because
    await kept_all(library, report)
    assert names((await library.add(prune=True)).deleted_uris) == ["local/03.txt"]


@pytest.mark.parametrize("comes_back", [True, False])
async def test_a_file_that_vanishes_during_the_walk(
    library: Library, monkeypatch: pytest.MonkeyPatch, comes_back: bool
) -> None:
    """Listed and then gone, as by a program that saves by deleting and writing anew."""
    path = library.folder / "share/05.txt"

    def walked(*args: Any, **options: Any) -> Any:
        found = find_files(*args, **options)
        path.unlink()
        return found

    monkeypatch.setattr(add_files, "find_files", walked)
    report = await library.add()
    assert [Path(each.path).name for each in report.failed] == ["05.txt"]
    await kept_all(library, report)
    monkeypatch.undo()
    if comes_back:
        path.write_text("Shared number 5.")
    report = await library.add()
    assert report.deleted == (0 if comes_back else 1)


async def test_a_file_that_comes_back_during_the_run_stays(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = library.folder / "share/05.txt"
    path.unlink()

    def walked(*args: Any, **options: Any) -> Any:
        found = find_files(*args, **options)
        path.write_text("Shared number 5, saved anew.")
        return found

    monkeypatch.setattr(add_files, "find_files", walked)
    await kept_all(library, await library.add())


async def test_a_folder_that_vanishes_during_the_walk_deletes_nothing(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(monkeypatch, library.folder / "share", errno.ENOENT)
    report = await library.add()
    assert len(report.unlisted) == 1
    await kept_all(library, report)


async def test_hidden_files_that_were_asked_for_stay(library: Library) -> None:
    await library.add(library.write("local/.secret.txt", "Asked for by name."))
    await kept_all(library, await library.add(), of=31)


async def test_a_file_system_that_cannot_say_deletes_nothing(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = library.folder / "local/03.txt"
    path.unlink()
    lookup = Path.stat

    def stale(self: Path, **options: Any) -> os.stat_result:
        if self == path:
            raise OSError(errno.ESTALE, os.strerror(errno.ESTALE), str(self))
        return lookup(self, **options)

    monkeypatch.setattr(Path, "stat", stale)
    report = await library.add()
    assert [each.path for each in report.unlisted] == [str(path)]
    await kept_all(library, report)


async def test_a_run_that_is_interrupted_has_deleted_nothing(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(add_files, "BATCH_PASSAGES", 4)
    (library.folder / "local/03.txt").unlink()
    for number in range(30):
        library.write(f"new/{number:02}.txt", f"New number {number}.")
    library.interrupt_after = 40
    with pytest.raises(ModelError):
        await library.add()
    assert "03" in await library.titles()


def test_a_folder_without_permission_is_an_error_and_not_an_empty_folder() -> None:
    """By the real kernel; a child gives up root's rights, to whom everything is permitted."""
    with tempfile.TemporaryDirectory() as made:
        top = Path(made)
        top.chmod(0o755)
        (top / "open.txt").write_text("Open.")
        locked = top / "locked"
        locked.mkdir()
        (locked / "closed.txt").write_text("Closed.")
        locked.chmod(0)
        code = (
            "import os, sys; from pathlib import Path; from upheld.ingest.walk import find_files\n"
            "if os.getuid() == 0: os.setuid(65534)\n"
            "found = find_files([Path(sys.argv[1]), Path(sys.argv[1], 'locked', 'closed.txt')])\n"
            "print([each.name for each in found.files], [each.reason for each in found.unlisted])"
        )
        try:
            told = subprocess.run(
                [sys.executable, "-c", code, made], capture_output=True, text=True, check=True
            )
        finally:
            locked.chmod(0o755)
    denied = "cannot be looked at: Permission denied"
    assert told.stdout.strip() == f"['open.txt'] {[denied, denied]}"
