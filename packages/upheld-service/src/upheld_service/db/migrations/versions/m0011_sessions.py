"""Sessions of browsers: a key is exchanged for a cookie, and the database has a hash of it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

_OWN = "tenant_id = NULLIF(current_setting('upheld.tenant', true), '')::uuid"
# As `upheld_find_key`: before a session is verified its tenant is unknown. A session lives no
# longer than its key.
_FIND = """
CREATE FUNCTION upheld_find_session(wanted bytea)
RETURNS TABLE (
    id uuid, tenant_id uuid, prefix text, scopes text[], labels text[], created_at timestamptz,
    expires_at timestamptz, revoked_at timestamptz, session_expires_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT key.id, key.tenant_id, key.prefix, key.scopes, key.labels, key.created_at,
           key.expires_at, key.revoked_at, session.expires_at
      FROM sessions session JOIN api_keys key ON key.prefix = session.key_prefix
     WHERE session.hash = wanted AND session.expires_at > now() AND key.revoked_at IS NULL
       AND (key.expires_at IS NULL OR key.expires_at > now())
$$;
REVOKE ALL ON FUNCTION upheld_find_session(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION upheld_find_session(bytea) TO upheld_app;
"""


def upgrade() -> None:
    """Create the table, which ends with its tenant's keys, and the look-up."""
    now = sa.func.clock_timestamp()
    op.create_table(
        "sessions",
        sa.Column("tenant_id", sa.Uuid, sa.ForeignKey("tenants.id"), nullable=False),
        sa.Column("hash", sa.LargeBinary, nullable=False),
        sa.Column("key_prefix", sa.Text, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, server_default=now),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "hash"),
        sa.ForeignKeyConstraint(["key_prefix"], ["api_keys.prefix"], ondelete="CASCADE"),
    )
    op.create_index("sessions_hash", "sessions", ["hash"])
    op.create_index("sessions_key", "sessions", ["key_prefix"])
    run = op.get_bind().execution_options(no_parameters=True).exec_driver_sql
    for statement in (
        "ALTER TABLE sessions ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE sessions FORCE ROW LEVEL SECURITY",
        f"CREATE POLICY own ON sessions TO upheld_app USING ({_OWN})",
        # For the function alone, which runs as the owner: this role is granted nothing here.
        "CREATE POLICY admin ON sessions TO upheld_admin USING (true)",
        "GRANT SELECT, INSERT, DELETE ON sessions TO upheld_app",
        _FIND,
    ):
        run(statement)
