"""A tenant ends: all of its rows in one transaction, and a line that says so."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

# No role may delete a key or an audit entry, and the admin sees no document: this runs as its
# owner, who has all three roles, for the one tenant that it names.
_END = """
CREATE FUNCTION upheld_end_tenant(wanted uuid) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    running integer;
BEGIN
    -- Every write of a tenant refers to this row: those that have begun end first, and later ones
    -- find no tenant.
    PERFORM FROM tenants WHERE id = wanted FOR UPDATE;
    PERFORM set_config('upheld.tenant', wanted::text, true);
    UPDATE procrastinate_jobs SET status = 'cancelled'
     WHERE args ->> 'tenant' = wanted::text AND status = 'todo';
    UPDATE procrastinate_jobs SET abort_requested = true
     WHERE args ->> 'tenant' = wanted::text AND status = 'doing' AND NOT abort_requested;
    -- A job under way writes into storage, unless its worker was killed.
    SELECT count(*) INTO running
      FROM procrastinate_jobs job JOIN procrastinate_workers worker ON worker.id = job.worker_id
     WHERE job.args ->> 'tenant' = wanted::text AND job.status = 'doing'
       AND worker.last_heartbeat > now() - interval '30 seconds';
    IF running > 0 THEN
        RETURN running;
    END IF;
    DELETE FROM procrastinate_jobs WHERE args ->> 'tenant' = wanted::text;
    DELETE FROM idempotency_keys WHERE tenant_id = wanted;
    DELETE FROM answers WHERE tenant_id = wanted;
    DELETE FROM guarantees WHERE tenant_id = wanted;
    DELETE FROM documents WHERE tenant_id = wanted;
    DELETE FROM collections WHERE tenant_id = wanted;
    DELETE FROM api_keys WHERE tenant_id = wanted;
    DELETE FROM audit_log WHERE tenant_id = wanted;
    INSERT INTO ended_tenants (id, name) SELECT id, name FROM tenants WHERE id = wanted;
    DELETE FROM tenants WHERE id = wanted;
    RETURN 0;
END;
$$;
REVOKE ALL ON FUNCTION upheld_end_tenant(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION upheld_end_tenant(uuid) TO upheld_admin;
"""


def upgrade() -> None:
    """Create the append-only table and the function."""
    op.create_table(
        "ended_tenants",
        sa.Column("id", sa.Uuid, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column(
            "ended_at",
            sa.DateTime(timezone=True),
            nullable=False,
            server_default=sa.func.clock_timestamp(),
        ),
    )
    run = op.get_bind().execution_options(no_parameters=True).exec_driver_sql
    for statement in (
        "ALTER TABLE ended_tenants ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE ended_tenants FORCE ROW LEVEL SECURITY",
        "CREATE POLICY admin ON ended_tenants TO upheld_admin USING (true)",
        "GRANT SELECT ON ended_tenants TO upheld_admin",
        _END,
    ):
        run(statement)
