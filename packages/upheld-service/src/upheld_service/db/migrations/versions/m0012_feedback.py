"""What readers say about claims: volunteered, and on claims that were drawn for them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

_OWN = "tenant_id = NULLIF(current_setting('upheld.tenant', true), '')::uuid"
_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create the tables; answers stored before are found by question, and are never drawn."""
    now = sa.func.clock_timestamp()
    op.add_column("answers", sa.Column("text", sa.Text))
    op.add_column(
        "answers",
        sa.Column("reviewable", sa.Boolean, nullable=False, server_default=sa.text("false")),
    )
    op.create_table(
        "feedback",
        sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id"), nullable=False),
        sa.Column("answer_id", sa.Text, nullable=False),
        sa.Column("claim", sa.Integer, nullable=False),
        sa.Column("author", sa.Text, nullable=False),
        sa.Column("labels", sa.ARRAY(sa.Text)),
        sa.Column("agrees", sa.Boolean, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("at", _MOMENT, nullable=False, server_default=now),
        sa.PrimaryKeyConstraint("tenant_id", "answer_id", "claim", "author"),
        sa.ForeignKeyConstraint(
            ["tenant_id", "answer_id"], ["answers.tenant_id", "answers.id"], ondelete="CASCADE"
        ),
    )
    op.create_table(
        "reviews",
        sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id"), nullable=False),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("collection", sa.Text, nullable=False),
        sa.Column("answer_id", sa.Text, nullable=False),
        sa.Column("claim", sa.Integer, nullable=False),
        sa.Column("question_hash", sa.Text, nullable=False),
        sa.Column("pipeline", sa.Text, nullable=False),
        sa.Column("score", sa.Float),
        sa.Column("author", sa.Text, nullable=False),
        sa.Column("supported", sa.Boolean),
        sa.Column("drawn_at", _MOMENT, nullable=False, server_default=now),
        sa.Column("ended_at", _MOMENT),
        sa.PrimaryKeyConstraint("tenant_id", "id"),
        sa.UniqueConstraint("tenant_id", "collection", "question_hash", "pipeline"),
        sa.ForeignKeyConstraint(
            ["tenant_id", "collection"],
            ["collections.tenant_id", "collections.name"],
            ondelete="CASCADE",
        ),
    )
    run = op.get_bind().execution_options(no_parameters=True).exec_driver_sql
    for table in ("feedback", "reviews"):
        run(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        run(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
        run(f"CREATE POLICY own ON {table} TO upheld_app USING ({_OWN})")
        run(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO upheld_app")
