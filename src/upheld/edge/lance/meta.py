"""What a collection's `meta.json` says, and how it changes.

`meta.json` is created once. A collection that was re-embedded has a log beside it: the objects
`meta/1.json`, `meta/2.json` and so on, of which the last one counts. Storage must only refuse to
create an object twice, which folders and S3 do, so of two processes that append one wins.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from upheld.errors import EmbedderMismatchError

FORMAT = 1
LOGGED = 2  # the format since the first re-embedding: an older Upheld must not miss the log


@dataclass(frozen=True, slots=True)
class Meta:
    """The embedder and tables of a collection."""

    embedder: str | None
    dimension: int | None
    tables: str = ""  # the folder of the tables below the collection's prefix
    generation: int = 0  # its place in the log; 0 is `meta.json` itself
    building: Meta | None = None  # the tables that a re-embedding writes, to be used once complete
    closing: bool = False  # these tables are about to be replaced: writers wait
    switched_at: int | None = None  # when the tables replaced others, in milliseconds

    def check(self, wanted: Meta, collection: str) -> None:
        """Raise `EmbedderMismatchError` if vectors of different embedders would be mixed."""
        if wanted.embedder in (None, self.embedder) and wanted.dimension in (None, self.dimension):
            return  # without an embedder, BM25 works on any collection
        made = f"with {self.embedder}" if self.embedder else "without an embedder"
        raise EmbedderMismatchError(
            f"Collection {collection!r} was made {made} ({self.dimension} dimensions), not with "
            f"{wanted.embedder} ({wanted.dimension}).",
            help="Open it with the embedder it was made with, or with none (local_models = false: "
            "BM25 only), or embed it again with this one (upheld re-embed), or index the documents "
            "again into a new collection.",
        )

    def has_embedder_of(self, other: Meta) -> bool:
        """Return whether vectors of both can be compared."""
        return (self.embedder, self.dimension) == (other.embedder, other.dimension)

    def packed(self, format: int) -> bytes:
        """Serialise as JSON; `meta.json` itself has no fields of the log."""
        fields = asdict(self)
        if not self.generation:
            fields = {name: fields[name] for name in ("embedder", "dimension", "tables")}
        return json.dumps({"format": format, **fields}).encode()


def unpacked(content: bytes) -> tuple[int, Meta]:
    """Parse JSON into its format and value; raises `ValueError`, `KeyError` or `TypeError`."""
    fields: dict[str, Any] = json.loads(content)
    format = fields.pop("format")
    if format not in (FORMAT, LOGGED):
        return format, Meta(None, None)
    if (building := fields.get("building")) is not None:
        fields["building"] = Meta(**building)
    meta = Meta(**fields)
    if not isinstance(meta.tables, str) or not meta.tables:
        raise ValueError("no tables")
    return format, meta
