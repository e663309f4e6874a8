"""Where the bytes of a document wait until they are read."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the column."""
    op.add_column("documents", sa.Column("upload", sa.Text))
