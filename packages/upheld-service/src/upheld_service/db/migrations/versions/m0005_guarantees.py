"""What was certified for a collection, and labels that wait to be."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

_OWN = "tenant_id = NULLIF(current_setting('upheld.tenant', true), '')::uuid"


def upgrade() -> None:
    """Create the table, visible only to the tenant that the application names."""
    op.create_table(
        "guarantees",
        sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id"), nullable=False),
        sa.Column("collection", sa.Text, nullable=False),
        sa.Column("revision", sa.Integer, nullable=False, server_default=sa.text("1")),
        sa.Column("asked", sa.JSON),
        sa.Column("fitted", sa.Text),
        sa.Column("told", sa.Text),
        sa.PrimaryKeyConstraint("tenant_id", "collection"),
        sa.ForeignKeyConstraint(
            ["tenant_id", "collection"],
            ["collections.tenant_id", "collections.name"],
            ondelete="CASCADE",
        ),
    )
    for statement in (
        "ALTER TABLE guarantees ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE guarantees FORCE ROW LEVEL SECURITY",
        f"CREATE POLICY own ON guarantees TO upheld_app USING ({_OWN})",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON guarantees TO upheld_app",
    ):
        op.execute(statement)
