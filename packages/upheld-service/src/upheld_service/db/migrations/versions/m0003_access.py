"""Who may see what: roles, row security, grants, and the look-up of a key."""

from __future__ import annotations

from alembic import op

revision = "0003"
down_revision = "0002"

# Empty and not NULL once a transaction has set it: both mean that no tenant is named.
_TENANT = "NULLIF(current_setting('upheld.tenant', true), '')"
_OWN = f"tenant_id = {_TENANT}::uuid"
_OWN_JOB = f"args ->> 'tenant' = {_TENANT}"
_OF_OWN_JOB = "EXISTS (SELECT FROM procrastinate_jobs job WHERE job.id = job_id)"
_QUEUE = (
    "procrastinate_jobs",
    "procrastinate_events",
    "procrastinate_workers",
    "procrastinate_periodic_defers",
)
_TENANTS_OWN = (
    "collections",
    "documents",
    "answers",
    "answer_documents",
    "idempotency_keys",
    "audit_log",
)
_ADMINS = ("tenants", "api_keys", "audit_log")

# Roles belong to the whole server, and another of its databases may have created them.
_ROLES = """
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['upheld_app', 'upheld_worker', 'upheld_admin'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN', name);
        END IF;
        EXECUTE format('GRANT %I TO CURRENT_USER', name);
    END LOOP;
END;
$$;
"""

# Before a key is verified its tenant is unknown, so row security would hide it. This runs as its
# owner, whom the admin's policy lets read keys, and returns at most the one key of a full prefix.
_FIND_KEY = """
CREATE FUNCTION upheld_find_key(wanted text)
RETURNS TABLE (
    id uuid, tenant_id uuid, prefix text, secret_hash bytea, scopes text[], labels text[],
    created_at timestamptz, expires_at timestamptz, revoked_at timestamptz, is_live boolean
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT key.id, key.tenant_id, key.prefix, key.secret_hash, key.scopes, key.labels,
           key.created_at, key.expires_at, key.revoked_at,
           key.revoked_at IS NULL AND (key.expires_at IS NULL OR key.expires_at > now())
      FROM api_keys key
     WHERE key.prefix = wanted
$$;
REVOKE ALL ON FUNCTION upheld_find_key(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION upheld_find_key(text) TO upheld_app;
"""

_GRANTS = """
GRANT USAGE ON SCHEMA public TO upheld_app, upheld_worker, upheld_admin;
GRANT SELECT, INSERT, UPDATE, DELETE
    ON collections, documents, answers, answer_documents, idempotency_keys TO upheld_app;
GRANT SELECT, INSERT ON audit_log TO upheld_app, upheld_admin;
GRANT SELECT, INSERT ON tenants, api_keys TO upheld_admin;
GRANT UPDATE (revoked_at) ON api_keys TO upheld_admin;
GRANT SELECT, INSERT ON procrastinate_jobs, procrastinate_events TO upheld_app;
GRANT UPDATE (status, abort_requested) ON procrastinate_jobs TO upheld_app;
GRANT USAGE ON SEQUENCE procrastinate_jobs_id_seq, procrastinate_events_id_seq TO upheld_app;
GRANT USAGE ON SEQUENCE procrastinate_jobs_id_seq, procrastinate_events_id_seq,
    procrastinate_periodic_defers_id_seq TO upheld_worker;
"""


def upgrade() -> None:
    """Close every table, then grant what each role needs."""
    run = op.get_bind().execution_options(no_parameters=True).exec_driver_sql
    run(_ROLES)
    for table in {*_TENANTS_OWN, *_ADMINS, *_QUEUE}:
        run(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        run(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    for table in _TENANTS_OWN:
        run(f"CREATE POLICY own ON {table} TO upheld_app USING ({_OWN})")
    for table in _ADMINS:
        run(f"CREATE POLICY admin ON {table} TO upheld_admin USING (true)")
    for table in _QUEUE:
        run(f"CREATE POLICY worker ON {table} TO upheld_worker USING (true)")
        run(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO upheld_worker")
    run(f"CREATE POLICY own ON procrastinate_jobs TO upheld_app USING ({_OWN_JOB})")
    run(f"CREATE POLICY own ON procrastinate_events TO upheld_app USING ({_OF_OWN_JOB})")
    run(_FIND_KEY)
    run(_GRANTS)
