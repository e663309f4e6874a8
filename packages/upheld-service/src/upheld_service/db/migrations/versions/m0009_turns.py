"""Jobs take turns by tenant; and how many bytes each document was sent with."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

# Procrastinate's `procrastinate_fetch_job_v2` with another order: of the tenants with a runnable
# job, the one whose last job started longest ago is next. A worker runs one job of a tenant at a
# time, so that a tenant with many collections cannot take all of its places.
_FETCH = """
CREATE FUNCTION upheld_fetch_job(wanted_queues varchar[], worker bigint)
RETURNS procrastinate_jobs LANGUAGE plpgsql AS $$
DECLARE
    found procrastinate_jobs;
BEGIN
    WITH candidate AS (
        SELECT job.id
          FROM procrastinate_jobs job
          LEFT JOIN tenants tenant ON tenant.id::text = job.args ->> 'tenant'
         WHERE job.status = 'todo'
           AND (wanted_queues IS NULL OR job.queue_name = ANY (wanted_queues))
           AND (job.scheduled_at IS NULL OR job.scheduled_at <= now())
           AND NOT EXISTS (
               SELECT FROM procrastinate_jobs other
                WHERE other.lock = job.lock
                  AND (other.status = 'doing'
                       OR other.status = 'todo'
                          AND (other.priority > job.priority
                               OR other.priority = job.priority AND other.id < job.id)))
           AND NOT EXISTS (
               SELECT FROM procrastinate_jobs own
                WHERE own.worker_id = worker AND own.status = 'doing'
                  AND own.args ->> 'tenant' = job.args ->> 'tenant')
         ORDER BY job.priority DESC, tenant.job_began_at NULLS FIRST, job.id
         LIMIT 1
           FOR UPDATE OF job SKIP LOCKED
    )
    UPDATE procrastinate_jobs job SET status = 'doing', worker_id = worker
      FROM candidate WHERE job.id = candidate.id
    RETURNING job.* INTO found;
    -- Not if the tenant is being deleted: that holds its row for as long as it takes.
    UPDATE tenants SET job_began_at = clock_timestamp()
     WHERE id IN (SELECT id FROM tenants WHERE id::text = found.args ->> 'tenant'
                     FOR NO KEY UPDATE SKIP LOCKED);
    RETURN found;
END;
$$;
"""
# A job that has done part of its work waits for its next turn. It has not failed, so its attempts
# start again at zero.
_REQUEUE = """
CREATE FUNCTION upheld_requeue_job(wanted bigint, seconds double precision)
RETURNS void LANGUAGE sql AS $$
    UPDATE procrastinate_jobs
       SET status = CASE WHEN abort_requested THEN 'aborted' ELSE 'todo'
                    END::procrastinate_job_status,
           attempts = 0,
           abort_requested = false,
           scheduled_at = CASE WHEN seconds > 0 THEN now() + make_interval(secs => seconds) END
     WHERE id = wanted AND status = 'doing'
$$;
"""
# Procrastinate notifies workers of new jobs only; a job that becomes runnable when another one ends
# would wait for a worker's next poll, which is seconds away.
_WAKE = """
CREATE FUNCTION upheld_wake_workers() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    waiting record;
    told text;
BEGIN
    FOR waiting IN
        SELECT queue_name, min(id) AS id FROM procrastinate_jobs
         WHERE status = 'todo' AND args ->> 'tenant' = NEW.args ->> 'tenant'
           AND (scheduled_at IS NULL OR scheduled_at <= now())
         GROUP BY queue_name
    LOOP
        told := json_build_object('type', 'job_inserted', 'job_id', waiting.id)::text;
        PERFORM pg_notify('procrastinate_queue_v1#' || waiting.queue_name, told);
        PERFORM pg_notify('procrastinate_any_queue_v1', told);
    END LOOP;
    RETURN NULL;
END;
$$;
CREATE TRIGGER upheld_wake_workers
    AFTER UPDATE OF status ON procrastinate_jobs
    FOR EACH ROW WHEN (OLD.status = 'doing' AND NEW.status <> 'doing')
    EXECUTE FUNCTION upheld_wake_workers();
"""
_GRANTS = """
CREATE POLICY worker_turn ON tenants FOR UPDATE TO upheld_worker USING (true);
GRANT SELECT (id, job_began_at), UPDATE (job_began_at) ON tenants TO upheld_worker;
"""
# The tenant's usage counts all documents, even if the transaction sees only some labels.
_USAGE = """
CREATE FUNCTION upheld_usage(but_for_collection text, but_for_id text)
RETURNS TABLE (stored_documents bigint, stored_bytes numeric) LANGUAGE plpgsql AS $$
DECLARE
    before text := current_setting('upheld.all_labels', true);
BEGIN
    PERFORM set_config('upheld.all_labels', 'yes', true);
    SELECT count(*), coalesce(sum(stored.bytes), 0) INTO stored_documents, stored_bytes
      FROM documents stored
     WHERE stored.tenant_id = NULLIF(current_setting('upheld.tenant', true), '')::uuid
       AND (stored.collection, stored.id)
           IS DISTINCT FROM (but_for_collection, but_for_id);
    PERFORM set_config('upheld.all_labels', coalesce(before, ''), true);
    RETURN NEXT;
END;
$$;
"""
# Waiting deletions no longer wait for other jobs.
_OWN_LANE = """
SELECT set_config('upheld.all_labels', 'yes', true);
UPDATE procrastinate_jobs SET lock = lock || '/delete'
 WHERE queue_name = 'delete' AND status = 'todo';
SELECT set_config('upheld.all_labels', '', true);
"""


def upgrade() -> None:
    """Add the columns and the functions; existing documents count with no bytes."""
    op.add_column("tenants", sa.Column("job_began_at", sa.DateTime(timezone=True)))
    op.add_column(
        "documents", sa.Column("bytes", sa.BigInteger, nullable=False, server_default=sa.text("0"))
    )
    run = op.get_bind().execution_options(no_parameters=True).exec_driver_sql
    for statement in (_FETCH, _REQUEUE, _WAKE, _USAGE, _GRANTS, _OWN_LANE):
        run(statement)
