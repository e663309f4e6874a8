"""When a judged claim was used to fit a guarantee: each is used once."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add the column; labels from before may be used once more."""
    op.add_column("reviews", sa.Column("fitted_at", sa.DateTime(timezone=True)))
