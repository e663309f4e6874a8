"""Rows of the three tables: columns, conversion from and to values, and conditions on rows.

The engine's typed expressions have no list functions, so conditions are SQL; every value enters
through `literal`, the one place where a string becomes part of a statement.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from upheld.errors import UsageError
from upheld.ports import Filter, IndexedDocument
from upheld.types import DocumentInfo, Passage, Place, Scope

if TYPE_CHECKING:
    from upheld.ports import Vectors


# Marks the key of `documents`: two writers that insert the same new document then conflict, and one
# insert becomes an update, instead of both becoming rows.
_PRIMARY_KEY = {b"lance-schema:unenforced-primary-key:position": b"1"}

_LABELS = [
    pa.field("labels", pa.list_(pa.string()), nullable=False),
    pa.field("labelled", pa.bool_(), nullable=False),
]

TEXTS = pa.schema(
    [
        pa.field("version", pa.string(), nullable=False),
        pa.field("document_id", pa.string(), nullable=False),
        pa.field("commit", pa.string(), nullable=False),
        pa.field("written_at", pa.int64(), nullable=False),
        pa.field("text", pa.large_string(), nullable=False),
    ]
)

DOCUMENTS = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False, metadata=_PRIMARY_KEY),
        pa.field("commit", pa.string(), nullable=False),
        pa.field("version", pa.string(), nullable=False),
        pa.field("uri", pa.string(), nullable=False),
        pa.field("title", pa.string(), nullable=False),
        pa.field("source_hash", pa.string(), nullable=False),
        pa.field("pipeline", pa.string(), nullable=False),  # DocumentInfo.ingest_version
        pa.field("passages", pa.int64(), nullable=False),
        *_LABELS,
    ]
)

# The columns that a search reads to make a `Passage`, in the order of `to_passages`.
_TO_PASSAGE = [
    "id",
    "searchable",
    "lead",
    "document_id",
    "version",
    "start",
    "end",
    "title",
    "uri",
    "page",
    "headings",
    "labels",
]
PASSAGE_COLUMNS = [*_TO_PASSAGE, "commit"]

# JSON; null if no page or heading begins inside the passage. Tables created before this column
# existed get it with their next write; until then searches must not read it.
PLACES = pa.field("places", pa.string())


def passages_schema(dimension: int | None) -> pa.Schema:
    """Return the columns of `passages`, with vectors if the collection has an embedder."""
    vector = [pa.field("vector", pa.list_(pa.float32(), dimension))] if dimension else []
    return pa.schema(
        [
            pa.field("id", pa.string(), nullable=False),
            pa.field("document_id", pa.string(), nullable=False),
            pa.field("commit", pa.string(), nullable=False),
            pa.field("written_at", pa.int64(), nullable=False),
            pa.field("version", pa.string(), nullable=False),
            pa.field("start", pa.int64(), nullable=False),
            pa.field("end", pa.int64(), nullable=False),
            pa.field("page", pa.int64()),
            pa.field("title", pa.string(), nullable=False),
            pa.field("uri", pa.string(), nullable=False),
            pa.field("headings", pa.list_(pa.string()), nullable=False),
            *_LABELS,
            # `searchable` ends with the text, so it is stored once: it begins at `lead`.
            pa.field("lead", pa.int64(), nullable=False),
            pa.field("searchable", pa.string(), nullable=False),
            PLACES,
            *vector,
        ]
    )


def now_ms() -> int:
    """Return the writer's time in milliseconds; only compared with the grace of `maintain`."""
    return int(time.time() * 1000)


def text_rows(documents: Sequence[IndexedDocument], commit: str) -> pa.Table:
    """Return the rows of canonical texts."""
    written_at = now_ms()
    return _table(
        TEXTS,
        [
            [each.document.version, each.document.id, commit, written_at, each.document.text]
            for each in documents
        ],
    )


def document_rows(documents: Sequence[IndexedDocument], commit: str) -> pa.Table:
    """Return the rows of `documents`, which acknowledge a write."""
    return _table(
        DOCUMENTS,
        [
            [
                each.document.id,
                commit,
                each.document.version,
                each.document.uri,
                each.document.title,
                each.document.source_hash,
                each.document.ingest_version,
                len(each.passages),
                sorted(each.document.labels),
                bool(each.document.labels),
            ]
            for each in documents
        ],
    )


def passage_rows(
    documents: Sequence[IndexedDocument], commit: str, dimension: int | None
) -> pa.Table:
    """Return the rows of passages, with the document's labels, so that both are equally visible."""
    schema = passages_schema(dimension)
    written_at = now_ms()
    rows = [
        [
            passage.id,
            passage.document_id,
            commit,
            written_at,
            passage.document_version,
            passage.start,
            passage.end,
            passage.page,
            passage.title,
            passage.uri,
            list(passage.heading_path),
            sorted(each.document.labels),
            bool(each.document.labels),
            len(searchable) - len(passage.text),
            searchable,
            _packed(passage.places),
        ]
        for each in documents
        for passage in each.passages
        for searchable in (passage.searchable,)
    ]
    if not dimension:
        return _table(schema, rows)
    table = _table(pa.schema(list(schema)[:-1]), rows)
    return table.append_column(schema.field("vector"), _vector_column(documents, dimension))


def _vector_column(documents: Sequence[IndexedDocument], dimension: int) -> pa.Array:
    import numpy as np

    parts: list[Vectors] = [
        np.asarray(each.vectors, dtype=np.float32) for each in documents if each.passages
    ]
    stacked = np.concatenate(parts) if parts else np.empty((0, dimension), dtype=np.float32)
    return pa.FixedSizeListArray.from_arrays(pa.array(stacked.reshape(-1)), dimension)


def _table(schema: pa.Schema, rows: list[list[Any]]) -> pa.Table:
    columns = zip(*rows, strict=True) if rows else [[] for _ in schema]
    try:
        arrays = [
            pa.array(list(column), type=field.type)
            for column, field in zip(columns, schema, strict=True)
        ]
    except UnicodeEncodeError as error:
        raise UsageError(
            "A document holds half a surrogate pair, which is not Unicode text.",
            help="Decode the source with errors='replace' before it is indexed.",
        ) from error
    return pa.table(arrays, schema=schema)


def to_passages(table: pa.Table, keep: Sequence[int]) -> list[Passage]:
    """Make passages of the rows at these indexes; columns are `PASSAGE_COLUMNS`, maybe `PLACES`."""
    if len(keep) != table.num_rows:
        table = table.take(pa.array(keep, pa.int64()))
    columns = [table.column(name).to_pylist() for name in _TO_PASSAGE]
    has_places = PLACES.name in table.column_names
    columns.append(table.column(PLACES.name).to_pylist() if has_places else [None] * len(keep))
    return [
        Passage(
            id,
            searchable[lead:],
            document,
            version,
            start,
            end,
            title,
            uri,
            page,
            tuple(path),
            frozenset(labels),
            _unpacked(places),
        )
        for (
            id,
            searchable,
            lead,
            document,
            version,
            start,
            end,
            title,
            uri,
            page,
            path,
            labels,
            places,
        ) in zip(*columns, strict=True)
    ]


def _packed(places: Sequence[Place]) -> str | None:
    """Serialise places as JSON: few passages have any, and Lance stores nulls at no cost."""
    rows = [[place.start, place.page, place.heading_path] for place in places]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":")) if rows else None


def _unpacked(packed: str | None) -> tuple[Place, ...]:
    rows = json.loads(packed) if packed else ()
    return tuple(Place(start, page, tuple(path)) for start, page, path in rows)


def to_document_infos(table: pa.Table) -> list[DocumentInfo]:
    """Make values of rows of `documents`."""
    return [
        DocumentInfo(
            id=row["id"],
            uri=row["uri"],
            title=row["title"],
            version=row["version"],
            source_hash=row["source_hash"],
            ingest_version=row["pipeline"],
            passages=row["passages"],
            labels=frozenset(row["labels"]),
        )
        for row in table.to_pylist()
    ]


NOTHING = "false"


def literal(value: str) -> str:
    """Quote a SQL string: in this dialect only the quote is special, and it is doubled."""
    return "'" + value.replace("'", "''") + "'"


def storable(value: str) -> bool:
    """Return whether a string is valid Unicode; a lone surrogate is not, and is in no row."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def one_of(column: str, values: Iterable[str]) -> str:
    """Return the condition that the column has one of these values."""
    listed = ",".join(literal(value) for value in values if storable(value))
    return f"{column} IN ({listed})" if listed else NOTHING


def shares_label(labels: Iterable[str]) -> str:
    """Return the condition that the row has at least one of these labels."""
    listed = ",".join(literal(label) for label in labels if storable(label))
    return f"array_has_any(labels, [{listed}])" if listed else NOTHING


def in_fragment(number: int) -> str:
    """Return the condition that the row is in this fragment, the upper half of its address."""
    return f"_rowaddr >= {number << 32} AND _rowaddr < {(number + 1) << 32}"


def all_of(*conditions: str) -> str:
    """Join conditions with AND; empty if there is none."""
    return " AND ".join(f"({condition})" for condition in conditions if condition)


def seen_in(scope: Scope) -> str:
    """Return `Scope.admits` as a condition; empty for the owner, who sees everything."""
    if scope.labels is None:
        return ""
    return f"NOT labelled OR {shares_label(scope.labels)}"


def narrowed(scope: Scope, where: Filter = Filter()) -> str:
    """Return the condition of a scope and a filter together."""
    return all_of(
        seen_in(scope),
        one_of("document_id", where.document_ids) if where.document_ids else "",
        one_of("title", where.titles) if where.titles else "",
        shares_label(where.labels) if where.labels else "",
    )
