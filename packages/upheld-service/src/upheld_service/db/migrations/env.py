"""Alembic's entry point: it runs on the connection that `migrate` opened."""

from __future__ import annotations

from typing import Any

from alembic import context

from upheld_service.db.tables import metadata


def _ours(name: str | None, kind: str, _parents: Any) -> bool:
    """Leave out procrastinate's tables: created here, but described by procrastinate."""
    return not (kind == "table" and name is not None and name.startswith("procrastinate_"))


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    include_name=_ours,
    compare_server_default=True,
)
with context.begin_transaction():
    context.run_migrations()
