"""The queue: procrastinate's own schema, and a retry that its queueing lock cannot block."""

from __future__ import annotations

from alembic import op
from procrastinate.schema import SchemaManager

revision = "0002"
down_revision = "0001"

# Procrastinate allows one waiting job per queueing lock, also when a failed job goes back to the
# queue: if a newer one already waits, that update fails, and the old job blocks its collection for
# good (its issues 1432, 1446, 1543). So a job releases its lock when it starts.
_LET_GO = """
CREATE FUNCTION upheld_let_go_of_queueing_lock() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.queueing_lock := NULL;
    RETURN NEW;
END;
$$;
CREATE TRIGGER upheld_let_go_of_queueing_lock
    BEFORE UPDATE OF status ON procrastinate_jobs
    FOR EACH ROW WHEN (OLD.status = 'todo' AND NEW.status <> 'todo')
    EXECUTE FUNCTION upheld_let_go_of_queueing_lock();
CREATE INDEX upheld_jobs_tenant ON procrastinate_jobs ((args ->> 'tenant'), id);
"""


def upgrade() -> None:
    """Create the queue."""
    connection = op.get_bind().execution_options(no_parameters=True)
    connection.exec_driver_sql(SchemaManager.get_schema())
    connection.exec_driver_sql(_LET_GO)
