"""An embedder of another dimension, and a process that re-embeds a collection with it.

Run as `python -m tests.integration.engine.index_re_embedder ROOT OPTIONS`; prints a line whenever
passages were embedded.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tests.integration.places import Place
from upheld.edge.lance import copying

if TYPE_CHECKING:
    from upheld.ports import Vectors


class NewEmbedder:
    """Vectors of six dimensions, different for different texts."""

    identity, dimension = "new-embedder", 6

    async def embed(self, texts: Sequence[str]) -> Vectors:
        digests = [hashlib.sha256(text.encode()).digest()[: self.dimension] for text in texts]
        vectors = np.array([list(each) for each in digests], dtype=np.float32) + 1
        vectors = vectors.reshape(-1, self.dimension)
        scaled: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return scaled

    async def close(self) -> None:
        """Nothing to close."""


async def main(place: Place) -> None:
    index = await place.open()
    copying.GROUP_DOCUMENTS = 3
    await index.re_embed("shelf", NewEmbedder(), lambda done, _: print(done, flush=True))
    await index.close()


if __name__ == "__main__":
    root, options = sys.argv[1:]
    asyncio.run(main(Place(root, json.loads(options))))
