"""Answers by age; and the worker may know which tenants there are, by their ids alone."""

from __future__ import annotations

from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the index, and let the worker see the ids."""
    op.create_index("answers_age", "answers", ["tenant_id", "created_at"])
    op.execute("CREATE POLICY worker ON tenants FOR SELECT TO upheld_worker USING (true)")
    op.execute("GRANT SELECT (id) ON tenants TO upheld_worker")
