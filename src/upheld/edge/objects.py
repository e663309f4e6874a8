"""Store bytes by name in a folder or in object storage, such as uploads that wait to be read."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from upheld.errors import NotFoundError, StorageError
from upheld.ports import StoredObject

if TYPE_CHECKING:
    from obstore.store import ObjectStore

# Options of the connection; all others are options of the store.
_CLIENT_OPTIONS = {
    "allow_http",
    "allow_invalid_certificates",
    "connect_timeout",
    "pool_idle_timeout",
    "pool_max_idle_per_host",
    "proxy_url",
    "timeout",
    "user_agent",
}


def place(root: str) -> str:
    """Return an absolute folder path, or `s3://bucket/prefix`, for engine and storage."""
    # The engine takes a relative path that begins with "db" for a cloud address.
    return root.rstrip("/") if "://" in root else str(Path(root).expanduser().absolute())


def open_store(uri: str, options: Mapping[str, str], *, make: bool = False) -> ObjectStore:
    """Open the store of a folder (created with `make`) or of `s3://bucket/prefix`."""
    from obstore.store import LocalStore, from_url

    if "://" not in uri:
        return LocalStore(uri, mkdir=make)
    config: Any = {k: v for k, v in options.items() if k not in _CLIENT_OPTIONS}
    client: Any = {k: v for k, v in options.items() if k in _CLIENT_OPTIONS}
    return from_url(uri, config=config, client_options=client)


@dataclass(frozen=True, slots=True)
class Objects:
    """Implements `upheld.ports.Objects` under one prefix."""

    uri: str
    options: Mapping[str, str]

    @classmethod
    def at(cls, root: str, options: Mapping[str, str] | None) -> Objects:
        return cls(place(root), dict(options or {}))

    async def put(self, name: str, data: AsyncIterator[bytes]) -> None:
        """Write a stream; it is never whole in memory, and an incomplete object is not stored."""
        with _translated("Writing"):
            store = await asyncio.to_thread(open_store, self.uri, self.options, make=True)
            # Two parts at once: with the default of twelve, a slow store would make one file hold
            # 60 MB of memory.
            await store.put_async(name, data, max_concurrency=2)

    async def get(self, name: str) -> bytes:
        if not self._exists():
            raise NotFoundError(f"There is no object {name}.")
        with _translated("Reading"):
            try:
                found = await open_store(self.uri, self.options).get_async(name)
                return bytes(await found.bytes_async())
            except FileNotFoundError as missing:
                raise NotFoundError(f"There is no object {name}.") from missing

    async def stream(self, name: str) -> AsyncIterator[bytes]:
        if not self._exists():
            raise NotFoundError(f"There is no object {name}.")
        with _translated("Reading"):
            try:
                found = await open_store(self.uri, self.options).get_async(name)
                async for part in found.stream():
                    yield bytes(part)
            except FileNotFoundError as missing:
                raise NotFoundError(f"There is no object {name}.") from missing

    async def delete(self, names: Sequence[str]) -> None:
        """Delete objects; missing ones are ignored."""
        if not names or not self._exists():
            return
        with _translated("Deleting"):
            store = open_store(self.uri, self.options)
            for name in names:
                try:
                    await store.delete_async(name)
                except FileNotFoundError:
                    continue

    async def listed(self, under: str = "") -> list[StoredObject]:
        if not self._exists():
            return []
        with _translated("Listing"):
            pages = open_store(self.uri, self.options).list(under or None)
            return [
                StoredObject(entry["path"], entry["last_modified"])
                async for page in pages
                for entry in page
            ]

    async def clear(self) -> int:
        """Delete everything, including incomplete objects, which listings do not show."""
        if "://" not in self.uri:
            with _translated("Deleting"):
                return await asyncio.to_thread(_remove, Path(self.uri))
        count = 0
        while found := await self.listed():  # repeated, for objects added meanwhile
            await self.delete([each.name for each in found])
            count += len(found)
        return count

    def _exists(self) -> bool:
        """Whether objects may exist: a missing folder has no store, a missing prefix has one."""
        return "://" in self.uri or Path(self.uri).is_dir()


def _remove(folder: Path) -> int:
    if not folder.is_dir():
        return 0
    count = sum(1 for each in folder.rglob("*") if not each.is_dir())
    shutil.rmtree(folder)
    return count


@contextmanager
def _translated(doing: str) -> Iterator[None]:
    from obstore.exceptions import BaseError

    try:
        yield
    except (BaseError, OSError) as error:
        raise StorageError(f"{doing} an object failed ({type(error).__name__}).") from error
