"""Where the original bytes of a document are stored once it was read, and where pages begin."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Add the columns; documents that were read before have no original."""
    op.add_column("documents", sa.Column("original", sa.Text))
    op.add_column("documents", sa.Column("original_type", sa.Text))
    op.add_column("documents", sa.Column("page_starts", sa.ARRAY(sa.Integer)))
