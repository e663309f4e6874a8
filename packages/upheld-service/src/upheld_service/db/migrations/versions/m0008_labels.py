"""Labels in row security: a transaction sees documents and jobs of the labels that it names.

A transaction that names none sees documents without labels, and no jobs of the owner or of keys
with labels. Before this, only the application's queries checked labels.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

_ALL = "current_setting('upheld.all_labels', true) = 'yes'"
_LABELS = "NULLIF(current_setting('upheld.labels', true), '')::text[]"
_DOCUMENT = f"{_ALL} OR cardinality(labels) = 0 OR labels && {_LABELS}"
# Inside the policy, only documents that the transaction may see are visible.
_COLLECTION = (
    f"{_ALL} OR EXISTS (SELECT FROM documents document"
    " WHERE document.tenant_id = collections.tenant_id AND document.collection = collections.name)"
)
# A job of an owner's key has no labels, so the comparison is not true.
_JOB = f"{_ALL} OR args -> 'labels' <@ to_jsonb({_LABELS})"
# The deletion of a tenant runs as the owner, who is subject to the same policies.
_END = """
ALTER FUNCTION upheld_end_tenant(uuid) RENAME TO upheld_end_tenant_seen;
REVOKE ALL ON FUNCTION upheld_end_tenant_seen(uuid) FROM upheld_admin;
CREATE FUNCTION upheld_end_tenant(wanted uuid) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    PERFORM set_config('upheld.all_labels', 'yes', true);
    RETURN upheld_end_tenant_seen(wanted);
END;
$$;
REVOKE ALL ON FUNCTION upheld_end_tenant(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION upheld_end_tenant(uuid) TO upheld_admin;
"""
_STATEMENTS = (
    f"CREATE POLICY labels ON documents AS RESTRICTIVE TO upheld_app USING ({_DOCUMENT})",
    f"CREATE POLICY labels ON procrastinate_jobs AS RESTRICTIVE TO upheld_app USING ({_JOB})",
    # Only for reading: a collection is created before its first document.
    f"CREATE POLICY labels ON collections AS RESTRICTIVE FOR SELECT TO upheld_app"
    f" USING ({_COLLECTION})",
    _END,
    # The process that clears the storage of a deleted tenant records it; workers do the rest.
    "CREATE POLICY worker ON ended_tenants TO upheld_worker USING (true)",
    "GRANT SELECT (id, ended_at, cleared_at), UPDATE (cleared_at) ON ended_tenants"
    " TO upheld_worker",
    "GRANT UPDATE (cleared_at) ON ended_tenants TO upheld_admin",
)


def upgrade() -> None:
    """Add the policies, and the column that says when a deleted tenant's storage was cleared."""
    op.add_column("ended_tenants", sa.Column("cleared_at", sa.DateTime(timezone=True)))
    run = op.get_bind().execution_options(no_parameters=True).exec_driver_sql
    for statement in _STATEMENTS:
        run(statement)
