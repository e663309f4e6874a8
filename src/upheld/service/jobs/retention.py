"""What was kept long enough goes, of every tenant, whether anybody asks or not.

Any number of processes may do this at once: each deletes what is there, and nothing is counted.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from uuid import UUID

from procrastinate import App

from upheld.service.db import answers, audit, idempotency
from upheld.service.resources import Service
from upheld.service.telemetry.logs import told

log = logging.getLogger("upheld.service")
EVERY_SECONDS = 3600.0
AT_ONCE = 500  # answers in one transaction
ACTOR = "upheld"  # in the audit log


async def expire(app: App, service: Service) -> None:
    """Drop answers that have reached their age, and replies that nobody may ask for again."""
    for row in await app.connector.execute_query_all_async("SELECT id FROM tenants"):
        try:
            await _expire(service, row["id"])
        except Exception as error:  # whatever it was: the other tenants' must go all the same
            extra = {"tenant": str(row["id"]), **told(error)}
            log.error("retention failed for a tenant: %s", type(error).__name__, extra=extra)


async def _expire(service: Service, tenant: UUID) -> None:
    days = service.settings.answer_days
    async with service.database.session(tenant, labels=None) as session:
        await idempotency.sweep(session)
    while days is not None:
        async with service.database.session(tenant, labels=None) as session:
            gone = await answers.expire(session, age=timedelta(days=days), most=AT_ONCE)
            if not gone:
                break
            detail = {"answers": gone, "days": days}
            await audit.record(
                session, actor=ACTOR, action="answers.expire", subject="", detail=detail
            )
