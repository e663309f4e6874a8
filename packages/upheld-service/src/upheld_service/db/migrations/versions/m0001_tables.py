"""Tenants, keys, collections, documents, answers, idempotency keys, audit log."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_MOMENT = sa.DateTime(timezone=True)
_WORDS = sa.ARRAY(sa.Text)


def _tenant() -> sa.Column[object]:
    return sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id"), nullable=False)


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=nullable)


def _now(name: str) -> sa.Column[object]:
    return sa.Column(name, _MOMENT, nullable=False, server_default=sa.func.clock_timestamp())


def _in_collection() -> sa.ForeignKeyConstraint:
    columns = ["collections.tenant_id", "collections.name"]
    return sa.ForeignKeyConstraint(["tenant_id", "collection"], columns)


def _of_answer() -> sa.ForeignKeyConstraint:
    columns = ["answers.tenant_id", "answers.id"]
    return sa.ForeignKeyConstraint(["tenant_id", "answer_id"], columns, ondelete="CASCADE")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "tenants",
        sa.Column("id", sa.Uuid, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        _now("created_at"),
    )
    op.create_table(
        "api_keys",
        sa.Column("id", sa.Uuid, primary_key=True),
        _tenant(),
        sa.Column("prefix", sa.Text, nullable=False, unique=True),
        sa.Column("secret_hash", sa.LargeBinary, nullable=False),
        sa.Column("scopes", _WORDS, nullable=False),
        sa.Column("labels", _WORDS),
        _now("created_at"),
        sa.Column("expires_at", _MOMENT),
        sa.Column("revoked_at", _MOMENT),
    )
    op.create_index("api_keys_tenant", "api_keys", ["tenant_id"])
    op.create_table(
        "collections",
        _tenant(),
        _text("name"),
        _now("created_at"),
        sa.PrimaryKeyConstraint("tenant_id", "name"),
    )
    op.create_table(
        "documents",
        _tenant(),
        _text("collection"),
        _text("id"),
        _text("status"),
        sa.Column("revision", sa.Integer, nullable=False, server_default=sa.text("1")),
        _text("version", nullable=True),
        sa.Column("labels", _WORDS, nullable=False),
        _text("origin"),
        _text("error", nullable=True),
        _now("created_at"),
        _now("updated_at"),
        sa.PrimaryKeyConstraint("tenant_id", "collection", "id"),
        _in_collection(),
        sa.CheckConstraint("status IN ('pending', 'ready', 'failed', 'deleting')", name="status"),
    )
    op.create_index("documents_status", "documents", ["tenant_id", "collection", "status"])
    _answers()
    op.create_table(
        "audit_log",
        _tenant(),
        sa.Column("id", sa.Uuid, nullable=False),
        _now("at"),
        _text("actor"),
        _text("action"),
        _text("subject"),
        sa.Column("detail", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "id"),
    )
    op.create_index("audit_log_at", "audit_log", ["tenant_id", "at"])


def _answers() -> None:
    op.create_table(
        "answers",
        _tenant(),
        _text("id"),
        _text("collection"),
        _text("question"),
        _text("method"),
        sa.Column("labels", _WORDS),
        sa.Column("body", sa.JSON, nullable=False),
        sa.Column("trace", sa.JSON, nullable=False),
        _now("created_at"),
        sa.PrimaryKeyConstraint("tenant_id", "id"),
        _in_collection(),
    )
    op.create_table(
        "answer_documents",
        _tenant(),
        _text("answer_id"),
        _text("collection"),
        _text("document_id"),
        sa.PrimaryKeyConstraint("tenant_id", "answer_id", "collection", "document_id"),
        _of_answer(),
        sa.ForeignKeyConstraint(
            ["tenant_id", "collection", "document_id"],
            ["documents.tenant_id", "documents.collection", "documents.id"],
        ),
    )
    op.create_index(
        "answer_documents_document", "answer_documents", ["tenant_id", "collection", "document_id"]
    )
    op.create_table(
        "idempotency_keys",
        _tenant(),
        _text("route"),
        _text("key"),
        sa.Column("request_hash", sa.LargeBinary, nullable=False),
        sa.Column("claim", sa.Uuid, nullable=False),
        sa.Column("status", sa.Integer),
        sa.Column("body", sa.JSON),
        _text("answer_id", nullable=True),
        _now("started_at"),
        sa.PrimaryKeyConstraint("tenant_id", "route", "key"),
        _of_answer(),
    )
    op.create_index("idempotency_keys_answer", "idempotency_keys", ["tenant_id", "answer_id"])
