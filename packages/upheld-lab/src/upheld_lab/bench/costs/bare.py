"""The same work by the engines alone: what our own layers are measured against."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lancedb
import numpy as np
import onnxruntime
import pyarrow as pa
from lancedb.query import MatchQuery
from tokenizers import Tokenizer

from upheld.edge.lance.rows import PASSAGE_COLUMNS
from upheld.edge.lance.storage import Root
from upheld.edge.onnx.embedder import BATCH_TOKENS, MAX_TOKENS, pad
from upheld.fusion import CANDIDATES
from upheld_models import embedder_model, embedder_tokenizer

if TYPE_CHECKING:
    from upheld.ports import Vector, Vectors


class BareSearch:
    """Two LanceDB queries on the table that our index made: same depth, same columns."""

    def __init__(self, table: Any) -> None:
        self._table = table

    @classmethod
    async def open(
        cls, root: str | Path, collection: str, options: Mapping[str, str] | None = None
    ) -> BareSearch:
        return cls(await _open_passages(root, collection, options))

    async def hybrid(self, query: str, vector: Vector) -> tuple[pa.Table, pa.Table]:
        make: Any = MatchQuery  # pydantic's defaults are invisible to the type checker
        lexical = self._table.query().nearest_to_text(make(query, "searchable"))
        close = self._table.query().nearest_to(vector).distance_type("cosine").refine_factor(5)
        one, other = await asyncio.gather(
            lexical.select([*PASSAGE_COLUMNS, "_score", "vector"]).limit(CANDIDATES).to_arrow(),
            close.select([*PASSAGE_COLUMNS, "_distance"]).limit(CANDIDATES).to_arrow(),
        )
        return one, other


class BareIndexing:
    """Tokenise, run the model on batches of like length, add rows: nothing else."""

    def __init__(self) -> None:
        self._tokenizer = Tokenizer.from_file(str(embedder_tokenizer()))
        self._tokenizer.enable_truncation(MAX_TOKENS)
        options = onnxruntime.SessionOptions()
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(
            str(embedder_model()), options, providers=["CPUExecutionProvider"]
        )

    async def __call__(self, texts: Sequence[str], folder: Path, batch: int) -> None:
        """Embed and add `batch` texts at a time to a new table."""
        connection = await lancedb.connect_async(str(folder))
        table: Any = None
        for first in range(0, len(texts), batch):
            some = texts[first : first + batch]
            vectors = await asyncio.to_thread(self.embed, some)
            flat = pa.array(vectors.reshape(-1))
            column = pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1])
            rows = pa.table({"text": pa.array(some), "vector": column})
            if table is None:
                table = await connection.create_table("passages", rows)
            else:
                await table.add(rows)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors in the order of the texts."""
        tokens = [encoding.ids for encoding in self._tokenizer.encode_batch_fast(list(texts))]
        order = sorted(range(len(tokens)), key=lambda place: -len(tokens[place]))
        vectors = np.empty((len(tokens), 384), np.float32)
        while order:
            count = max(1, BATCH_TOKENS // len(tokens[order[0]]))
            places, order = order[:count], order[count:]
            ids, mask = pad([tokens[place] for place in places])
            inputs = {"input_ids": ids, "attention_mask": mask}
            [vectors[places]] = self._session.run(None, inputs)
        return vectors


async def indexed_texts(root: Path, collection: str) -> list[str]:
    """What a collection of ours holds, as it was embedded."""
    table = await _open_passages(root, collection)
    rows = await table.query().select(["searchable"]).to_arrow()
    return [str(text) for text in rows.column("searchable").to_pylist()]


async def _open_passages(
    root: str | Path, collection: str, options: Mapping[str, str] | None = None
) -> Any:
    """The table of passages that a collection's description names."""
    prefix = Root.at(str(root), options).prefix(collection)
    meta = await prefix.read_meta()
    assert meta is not None
    connection = await lancedb.connect_async(
        f"{prefix.uri}/{meta.tables}", storage_options=dict(options or {}) or None
    )
    return await connection.open_table("passages")
