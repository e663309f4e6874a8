"""The tables as the code sees them; migrations create them, and a test compares the two.

Keys begin with the tenant, so that a guessed id cannot collide with a row of another tenant, and
foreign keys, which PostgreSQL checks without row security, cannot cross from tenant to tenant.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY

# The names that PostgreSQL itself would choose, so that handwritten migrations can omit them.
metadata = MetaData(
    naming_convention={
        "pk": "%(table_name)s_pkey",
        "fk": "%(table_name)s_%(column_0_N_name)s_fkey",
        "uq": "%(table_name)s_%(column_0_N_name)s_key",
        "ck": "%(table_name)s_%(constraint_name)s_check",
    }
)
Moment = DateTime(timezone=True)
Words = ARRAY(Text)


def _tenant(*, key: bool = True) -> Column[object]:
    return Column("tenant_id", Uuid, ForeignKey("tenants.id"), primary_key=key, nullable=False)


def _now(name: str) -> Column[object]:
    # Not the transaction's time, so that two entries of one transaction have an order.
    return Column(name, Moment, nullable=False, server_default=func.clock_timestamp())


tenants = Table(
    "tenants",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    _now("created_at"),
    Column("job_began_at", Moment),  # of the last one; NULL: none yet
)

# What is left of a deleted tenant: enough to clear its storage once more.
ended_tenants = Table(
    "ended_tenants",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("name", Text, nullable=False),
    _now("ended_at"),
    Column("cleared_at", Moment),  # NULL: its storage may not be empty
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("id", Uuid, primary_key=True),
    _tenant(key=False),
    Column("prefix", Text, nullable=False, unique=True),
    Column("secret_hash", LargeBinary, nullable=False),
    Column("scopes", Words, nullable=False),
    Column("labels", Words),  # NULL: every document
    _now("created_at"),
    Column("expires_at", Moment),
    Column("revoked_at", Moment),
    Index("api_keys_tenant", "tenant_id"),
)

# A browser's cookie stands for a key; it is stored as a hash.
sessions = Table(
    "sessions",
    metadata,
    _tenant(),
    Column("hash", LargeBinary, primary_key=True),
    Column("key_prefix", Text, nullable=False),
    _now("created_at"),
    Column("expires_at", Moment, nullable=False),
    ForeignKeyConstraint(["key_prefix"], ["api_keys.prefix"], ondelete="CASCADE"),
    Index("sessions_hash", "hash"),
    Index("sessions_key", "key_prefix"),
)

collections = Table(
    "collections",
    metadata,
    _tenant(),
    Column("name", Text, primary_key=True),
    _now("created_at"),
)

documents = Table(
    "documents",
    metadata,
    _tenant(),
    Column("collection", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("status", Text, nullable=False),
    Column("revision", Integer, nullable=False, server_default=text("1")),
    Column("version", Text),  # NULL until it was read
    Column("labels", Words, nullable=False),
    Column("origin", Text, nullable=False),
    Column("error", Text),
    _now("created_at"),
    _now("updated_at"),
    Column("upload", Text),  # where its bytes are stored; NULL: read, or to be fetched
    Column("bytes", BigInteger, nullable=False, server_default=text("0")),  # as uploaded
    Column("original", Text),  # where they are stored once read; NULL: not stored
    Column("original_type", Text),
    Column("page_starts", ARRAY(Integer)),  # offsets into its text; NULL: it has no pages
    ForeignKeyConstraint(
        ["tenant_id", "collection"], ["collections.tenant_id", "collections.name"]
    ),
    CheckConstraint("status IN ('pending', 'ready', 'failed', 'deleting')", name="status"),
    Index("documents_status", "tenant_id", "collection", "status"),
)

# JSON, not JSONB, for what is returned unchanged: JSONB drops the order of names and refuses the
# character U+0000, which documents do contain.
answers = Table(
    "answers",
    metadata,
    _tenant(),
    Column("id", Text, primary_key=True),
    Column("collection", Text, nullable=False),
    Column("question", Text, nullable=False),
    Column("method", Text, nullable=False),
    Column("labels", Words),  # what the caller could see; NULL: every document
    Column("body", JSON, nullable=False),
    Column("trace", JSON, nullable=False),
    _now("created_at"),
    Column("text", Text),  # to be searched, without U+0000; NULL: stored before it was
    Column("reviewable", Boolean, nullable=False, server_default=text("false")),
    ForeignKeyConstraint(
        ["tenant_id", "collection"], ["collections.tenant_id", "collections.name"]
    ),
    Index("answers_age", "tenant_id", "created_at"),
)

# What readers volunteer about a claim.
feedback = Table(
    "feedback",
    metadata,
    _tenant(),
    Column("answer_id", Text, primary_key=True),
    Column("claim", Integer, primary_key=True, autoincrement=False),
    Column("author", Text, primary_key=True),
    Column("labels", Words),  # what the author may see; NULL: every document
    Column("agrees", Boolean, nullable=False),
    Column("note", Text, nullable=False),
    _now("at"),
    ForeignKeyConstraint(
        ["tenant_id", "answer_id"], ["answers.tenant_id", "answers.id"], ondelete="CASCADE"
    ),
)

# Claims drawn for a reader to judge, without anybody's words: labels outlive their answers.
reviews = Table(
    "reviews",
    metadata,
    _tenant(),
    Column("id", Text, primary_key=True),
    Column("collection", Text, nullable=False),
    Column("answer_id", Text, nullable=False),
    Column("claim", Integer, nullable=False),
    Column("question_hash", Text, nullable=False),
    Column("pipeline", Text, nullable=False),
    Column("score", Float),  # NULL: the pipeline did not call it supported
    Column("author", Text, nullable=False),
    Column("supported", Boolean),  # NULL: not judged yet, or skipped
    _now("drawn_at"),
    Column("ended_at", Moment),
    Column("fitted_at", Moment),  # NULL: no guarantee was fitted with it yet
    UniqueConstraint("tenant_id", "collection", "question_hash", "pipeline"),
    ForeignKeyConstraint(
        ["tenant_id", "collection"],
        ["collections.tenant_id", "collections.name"],
        ondelete="CASCADE",
    ),
)

answer_documents = Table(
    "answer_documents",
    metadata,
    _tenant(),
    Column("answer_id", Text, primary_key=True),
    Column("collection", Text, primary_key=True),
    Column("document_id", Text, primary_key=True),
    ForeignKeyConstraint(
        ["tenant_id", "answer_id"], ["answers.tenant_id", "answers.id"], ondelete="CASCADE"
    ),
    # No cascade: a document cannot be deleted while an answer quotes it.
    ForeignKeyConstraint(
        ["tenant_id", "collection", "document_id"],
        ["documents.tenant_id", "documents.collection", "documents.id"],
    ),
    Index("answer_documents_document", "tenant_id", "collection", "document_id"),
)

idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    _tenant(),
    Column("route", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("request_hash", LargeBinary, nullable=False),
    Column("claim", Uuid, nullable=False),
    Column("status", Integer),  # NULL while the first request is running
    Column("body", JSON),
    Column("answer_id", Text),
    _now("started_at"),
    # A stored reply that contains an answer is deleted with it.
    ForeignKeyConstraint(
        ["tenant_id", "answer_id"], ["answers.tenant_id", "answers.id"], ondelete="CASCADE"
    ),
    Index("idempotency_keys_answer", "tenant_id", "answer_id"),
)

# Not in the collection's row, which every question reads: waiting labels are large.
guarantees = Table(
    "guarantees",
    metadata,
    _tenant(),
    Column("collection", Text, primary_key=True),
    Column("revision", Integer, nullable=False, server_default=text("1")),
    Column("asked", JSON(none_as_null=True)),  # labels that wait for a job; NULL: none
    Column("fitted", Text),  # the current guarantee, in its file format; NULL: none
    Column("told", Text),  # why the last labels certified nothing; NULL: they did, or wait
    ForeignKeyConstraint(
        ["tenant_id", "collection"],
        ["collections.tenant_id", "collections.name"],
        ondelete="CASCADE",
    ),
)

audit_log = Table(
    "audit_log",
    metadata,
    _tenant(),
    Column("id", Uuid, primary_key=True),
    _now("at"),
    Column("actor", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("detail", JSON, nullable=False),
    Index("audit_log_at", "tenant_id", "at"),
)
