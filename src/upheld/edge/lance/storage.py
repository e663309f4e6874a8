"""The objects beside the tables: a collection's `meta.json` and its pending erasures."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from upheld.edge.lance.failures import translated
from upheld.edge.objects import open_store, place
from upheld.errors import EmbedderMismatchError, EngineError, UsageError
from upheld.types import new_id

if TYPE_CHECKING:
    from obstore.store import ObjectStore

FORMAT = 1
META = "meta.json"
ERASE = "erase"  # one empty object per batch of rows that was removed but not yet erased
LEASE = "lease"  # one empty object for each few seconds in which somebody maintains it
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_DELETION_FILE = re.compile(r"/_deletions/(\d+)-")


@dataclass(frozen=True, slots=True)
class Meta:
    """The embedder and tables of a collection; written once and never changed."""

    embedder: str | None
    dimension: int | None
    tables: str = ""  # the folder of the tables below the collection's prefix

    def check(self, wanted: Meta, collection: str) -> None:
        """Raise `EmbedderMismatchError` if vectors of different embedders would be mixed."""
        if wanted.embedder in (None, self.embedder) and wanted.dimension in (None, self.dimension):
            return  # without an embedder, BM25 works on any collection
        made = f"with {self.embedder}" if self.embedder else "without an embedder"
        raise EmbedderMismatchError(
            f"Collection {collection!r} was made {made} ({self.dimension} dimensions), not with "
            f"{wanted.embedder} ({wanted.dimension}).",
            help="Open it with the embedder it was made with, or with none (local_models = false: "
            "BM25 only), or index the documents again into a new collection.",
        )


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

    def _store(self, *, make: bool = False) -> ObjectStore:
        return open_store(self.uri, self.options, make=make)

    def _exists(self) -> bool:
        """Whether objects may exist: a missing folder has no store, a missing prefix has one."""
        return "://" in self.uri or Path(self.uri).is_dir()

    async def read_meta(self) -> Meta | None:
        """Read `meta.json`; None if there is no collection."""
        if not self._exists():
            return None
        with translated(f"Reading {self.uri}/{META}"):
            try:
                found = await self._store().get_async(META)
                content = bytes(await found.bytes_async())
            except FileNotFoundError:
                return None
        try:
            fields = json.loads(content)
            version = fields["format"]
            meta = Meta(fields["embedder"], fields["dimension"], fields["tables"])
        except (ValueError, KeyError, TypeError) as error:
            raise EngineError(f"{self.uri}/{META} is not a collection's description.") from error
        if version != FORMAT:
            raise EngineError(
                f"{self.uri} has format {version}; this version of Upheld reads {FORMAT}.",
                help="Upgrade Upheld, or index the documents again.",
            )
        return meta

    async def make_meta(self, meta: Meta) -> Meta:
        """Create `meta.json`; if several processes race, one wins and all get the winner's."""
        from obstore.exceptions import AlreadyExistsError

        fields = {"format": FORMAT, **asdict(meta)}
        with translated(f"Creating {self.uri}/{META}"), suppress(AlreadyExistsError):
            await self._store(make=True).put_async(META, json.dumps(fields).encode(), mode="create")
        found = await self.read_meta()
        assert found is not None
        return found

    async def owe_erasure(self) -> None:
        """Record, before rows are removed, that their bytes must be erased."""
        with translated("Noting what to erase"):
            await self._store().put_async(f"{ERASE}/{new_id()}", b"")

    async def owed_erasures(self) -> list[str]:
        return await self._list(ERASE)

    async def clear_erasures(self, paths: Sequence[str]) -> None:
        with translated("Settling what was erased"):
            for path in paths:
                with suppress(FileNotFoundError):  # another maintenance run was faster
                    await self._store().delete_async(path)

    async def take_lease(self, slot: int) -> bool:
        """Create the object of a slot; False if another process created it first."""
        from obstore.exceptions import AlreadyExistsError

        with translated("Taking the lease"):
            try:
                await self._store().put_async(f"{LEASE}/{slot}", b"", mode="create")
            except AlreadyExistsError:
                return False
        return True

    async def clear_leases(self, slots: Sequence[int]) -> None:
        """Delete the objects of these slots."""
        with translated("Returning the lease"):
            for slot in slots:
                with suppress(FileNotFoundError):
                    await self._store().delete_async(f"{LEASE}/{slot}")

    async def clear_old_leases(self, before: int) -> None:
        """Delete the objects of slots that holders left when they died."""
        slots = [int(path.rpartition("/")[2]) for path in await self._list(LEASE)]
        await self.clear_leases([slot for slot in slots if slot < before])

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
