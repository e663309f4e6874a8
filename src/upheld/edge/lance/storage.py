"""The objects beside the tables: a collection's `meta.json` and its pending erasures."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from upheld.edge.lance.failures import translated
from upheld.edge.lance.meta import FORMAT, LOGGED, Meta, unpacked
from upheld.edge.objects import open_store, place
from upheld.errors import EngineError, UsageError
from upheld.types import new_id

if TYPE_CHECKING:
    from obstore.store import ObjectStore

META = "meta.json"
META_LOG = "meta"  # `1.json`, `2.json` and so on: see meta.py
TABLES = "tables-"
ERASE = "erase"  # one empty object per batch of rows that was removed but not yet erased
LEASE = "lease"  # one empty object for each few seconds in which somebody maintains it
RE_EMBED = "re-embed"  # likewise, while somebody re-embeds it
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_DELETION_FILE = re.compile(r"/_deletions/(\d+)-")


@dataclass(frozen=True, slots=True)
class Root:
    """A folder or bucket prefix, below which every collection has its own prefix."""

    uri: str
    options: Mapping[str, str]

    @classmethod
    def at(cls, root: str, options: Mapping[str, str] | None) -> Root:
        return cls(place(root), dict(options or {}))

    def prefix(self, collection: str) -> Prefix:
        if not _NAME.fullmatch(collection):
            raise UsageError(
                f"{collection!r} cannot name a collection.",
                help="Use 1 to 128 letters, digits, '.', '_' or '-', the first a letter or digit.",
            )
        return Prefix(f"{self.uri}/{collection}", self.options)


@dataclass(frozen=True, slots=True)
class Prefix:
    """The storage of one collection."""

    uri: str
    options: Mapping[str, str]
    # The client of object storage, once it is opened: that takes longer than a request.
    _clients: list[ObjectStore] = field(default_factory=list, compare=False, repr=False)

    def _store(self, *, make: bool = False) -> ObjectStore:
        if "://" not in self.uri:
            return open_store(self.uri, self.options, make=make)
        if not self._clients:
            self._clients.append(open_store(self.uri, self.options))
        return self._clients[0]

    def _exists(self) -> bool:
        """Whether objects may exist: a missing folder has no store, a missing prefix has one."""
        return "://" in self.uri or Path(self.uri).is_dir()

    async def read_meta(self) -> Meta | None:
        """Read `meta.json` and its log; None if there is no collection."""
        if not self._exists():
            return None
        found = await self._get_meta(META)
        if found is None or found[0] == FORMAT:
            return found[1] if found else None
        numbers = [int(Path(path).stem) for path in await self._list(META_LOG)]
        if not numbers:
            return found[1]
        last = await self._get_meta(f"{META_LOG}/{max(numbers)}.json")
        return last[1] if last else None  # None: the collection was deleted meanwhile

    async def newer_meta(self, generation: int) -> Meta | None:
        """Return the newest entry of the log after this one; None if there is none."""
        newest = None
        while found := await self._get_meta(f"{META_LOG}/{generation + 1}.json"):
            newest, generation = found[1], generation + 1
        return newest

    async def _get_meta(self, path: str) -> tuple[int, Meta] | None:
        with translated(f"Reading {self.uri}/{path}"):
            try:
                found = await self._store().get_async(path)
                content = bytes(await found.bytes_async())
            except FileNotFoundError:
                return None
        try:
            format, meta = unpacked(content)
        except (ValueError, KeyError, TypeError) as error:
            raise EngineError(f"{self.uri}/{path} is not a collection's description.") from error
        if format not in (FORMAT, LOGGED):
            raise EngineError(
                f"{self.uri} has format {format}; this version of Upheld reads {LOGGED}.",
                help="Upgrade Upheld, or index the documents again.",
            )
        return format, meta

    async def make_meta(self, meta: Meta) -> Meta:
        """Create `meta.json`; if several processes race, one wins and all get the winner's."""
        await self._create(META, meta.packed(FORMAT), make=True)
        found = await self.read_meta()
        assert found is not None
        return found

    async def append_meta(self, meta: Meta) -> bool:
        """Add an entry to the log, at its generation; False if another process was first."""
        path = f"{META_LOG}/{meta.generation}.json"
        if meta.generation == 1 and (first := await self._get_meta(META)):
            with translated(f"Writing {self.uri}/{META}"):
                await self._store().put_async(META, first[1].packed(LOGGED))
        if await self._create(path, meta.packed(LOGGED)):
            return True
        found = await self._get_meta(path)  # it is ours if only the response was lost
        return found is not None and found[1] == meta

    async def _create(self, path: str, content: bytes, *, make: bool = False) -> bool:
        """Create an object; False if it exists."""
        from obstore.exceptions import AlreadyExistsError

        with translated(f"Creating {self.uri}/{path}"):
            try:
                await self._store(make=make).put_async(path, content, mode="create")
            except AlreadyExistsError:
                return False
        return True

    async def owe_erasure(self, tables: str) -> None:
        """Record, before rows of these tables are removed, that their bytes must be erased."""
        with translated("Noting what to erase"):
            await self._store().put_async(f"{ERASE}/{tables}.{new_id()}", b"")

    async def owed_erasures(self, tables: str) -> list[str]:
        """List what `owe_erasure` recorded for these tables; 0.1 recorded no tables."""
        paths = await self._list(ERASE)
        return [path for path in paths if f"/{tables}." in path or "." not in path]

    async def clear_erasures(self, paths: Sequence[str]) -> None:
        with translated("Settling what was erased"):
            for path in paths:
                with suppress(FileNotFoundError):  # another maintenance run was faster
                    await self._store().delete_async(path)

    async def take_lease(self, slot: int, name: str = LEASE) -> bool:
        """Create the object of a slot; False if another process created it first."""
        return await self._create(f"{name}/{slot}", b"")

    async def has_lease(self, slot: int, name: str) -> bool:
        """Return whether a process holds this slot."""
        with translated("Looking at the lease"):
            try:
                await self._store().head_async(f"{name}/{slot}")
            except FileNotFoundError:
                return False
        return True

    async def clear_leases(self, slots: Sequence[int], name: str = LEASE) -> None:
        """Delete the objects of these slots."""
        with translated("Returning the lease"):
            for slot in slots:
                with suppress(FileNotFoundError):
                    await self._store().delete_async(f"{name}/{slot}")

    async def clear_old_leases(self, before: int, name: str = LEASE) -> None:
        """Delete the objects of slots that holders left when they died."""
        slots = [int(path.rpartition("/")[2]) for path in await self._list(name)]
        await self.clear_leases([slot for slot in slots if slot < before], name)

    async def table_folders(self) -> list[str]:
        """List the folders of tables, those in use and others."""
        with translated(f"Listing {self.uri}"):
            listed = await self._store().list_with_delimiter_async()
        names = (path.rstrip("/").rpartition("/")[2] for path in listed["common_prefixes"])
        return [name for name in names if name.startswith(TABLES)]

    async def discard(self, folder: str) -> None:
        """Delete everything below a folder of the prefix."""
        paths = await self._list(folder)
        with translated(f"Removing {self.uri}/{folder}"):
            if paths:
                await self._store().delete_async(paths)
        if "://" not in self.uri:  # object stores have no folders to leave behind
            await asyncio.to_thread(shutil.rmtree, Path(self.uri) / folder, ignore_errors=True)

    async def fragments_with_deletions(self, folder: str, table: str) -> list[int]:
        """Return the fragments with removed rows: Lance names deletion files by fragment."""
        paths = await self._list(f"{folder}/{table}.lance/_deletions")
        return sorted({int(m[1]) for path in paths if (m := _DELETION_FILE.search(path))})

    async def _list(self, under: str) -> list[str]:
        with translated(f"Listing {self.uri}/{under}"):
            pages = self._store().list(under)
            return [entry["path"] async for page in pages for entry in page]
