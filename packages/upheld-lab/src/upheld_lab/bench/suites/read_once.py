"""Files read and cut into passages once, however often a suite is loaded.

Reading some hundred pages of HTML and PDF takes minutes. What comes of a file depends on its
bytes, its name and the versions of reader and chunker alone, so it is cached on disk by these.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from upheld._internal.disk_cache import DiskCache
from upheld.ingest.chunk import Chunker
from upheld.ingest.document import ingest_version, read_document
from upheld.ingest.read import read
from upheld.types import Passage, content_hash

_PASSAGES = TypeAdapter(tuple[Passage, ...])


@dataclass(frozen=True, slots=True)
class ReadOnce:
    """Reads files as `upheld index` does, but counts in characters: the same for all embedders.

    Without a folder that can be written to, every file is read each time.
    """

    folder: Path

    def __call__(self, files: Mapping[str, tuple[str, bytes]]) -> dict[str, tuple[Passage, ...]]:
        """The passages of files by their address, of which the name and the bytes are given."""
        chunker = Chunker()
        version = ingest_version(chunker, None)
        keys = {
            uri: content_hash(f"{version}\0{name}\0{uri}\0{content_hash(content)}")
            for uri, (name, content) in files.items()
        }
        cache = DiskCache[str](self.folder / "passages.sqlite3", "passages")
        known: dict[str, str] = {}
        with suppress(OSError):
            known = cache.get(keys.values())
        cut = {
            uri: _PASSAGES.validate_json(known[key]) for uri, key in keys.items() if key in known
        }
        fresh = {uri: _cut(uri, *files[uri], chunker) for uri in files if uri not in cut}
        with suppress(OSError):
            cache.put(
                {keys[uri]: _PASSAGES.dump_json(each).decode() for uri, each in fresh.items()}
            )
        return {uri: cut[uri] if uri in cut else fresh[uri] for uri in files}


def _cut(uri: str, name: str, content: bytes, chunker: Chunker) -> tuple[Passage, ...]:
    title = Path(name).stem
    document, structure = read_document(read, content, name, id=uri, uri=uri, title=title)
    return chunker(document, structure)
