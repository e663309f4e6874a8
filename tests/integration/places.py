"""Where an index can live: a folder, or a bucket of a real S3 server."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import obstore
from obstore.store import LocalStore, from_url

from upheld.edge.lance.index import LanceIndex
from upheld.testing.index_samples import DIMENSION, EMBEDDER


@dataclass(frozen=True, slots=True)
class Place:
    """One root, and how to reach it."""

    root: str
    storage_options: dict[str, str] = field(default_factory=dict)

    async def open(
        self, embedder: str | None = EMBEDDER, dimension: int | None = DIMENSION
    ) -> LanceIndex:
        return await LanceIndex.open(
            self.root,
            storage_options=self.storage_options,
            embedder_identity=embedder,
            dimension=dimension,
        )

    def objects(self) -> dict[str, bytes]:
        """Every file or object under the root, read whole."""
        if "://" not in self.root:
            store: Any = LocalStore(Path(self.root))
        else:
            config: Any = {k: v for k, v in self.storage_options.items() if k != "allow_http"}
            store = from_url(self.root, config=config, client_options={"allow_http": True})
        paths = [entry["path"] for page in obstore.list(store) for entry in page]
        return {path: bytes(obstore.get(store, path).bytes()) for path in paths}
