"""Upload limits of a tenant: documents per minute, uploads at once, and total storage."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from uuid import UUID

from upheld.errors import QuotaError, TenantLimitError
from upheld.settings import Settings
from upheld_service.admission.admission import Rates
from upheld_service.db import documents
from upheld_service.db.database import Session

SOON = 1.0  # seconds; by then a running upload may have ended
_MEGABYTE = 1_000_000
# The present total is not shown: a key may be allowed to see only a part of it.
_HELP = "Delete documents, or ask the operator of the service for a larger quota."


@dataclass(frozen=True, slots=True)
class Quota:
    """What a tenant may store in all of its collections together."""

    documents: int
    bytes: int

    @classmethod
    def of(cls, settings: Settings) -> Quota:
        return cls(settings.tenant_documents, settings.tenant_mb * _MEGABYTE)

    async def check(
        self, session: Session, collection: str, id: str | None, size: int, *, hold: bool = False
    ) -> None:
        """Raise `QuotaError` if a document of `size` bytes exceeds the quota.

        A document that it replaces is not counted. With `hold`, other uploads of the tenant wait
        until the transaction ends.
        """
        if hold:
            await documents.hold_usage(session)
        others = await documents.usage(session, collection, id)
        if others.documents + 1 > self.documents:
            raise QuotaError(
                f"A tenant may store at most {self.documents:,} documents.", help=_HELP
            )
        if others.bytes + size > self.bytes:
            raise QuotaError(
                f"A tenant may store at most {self.bytes:,} bytes of documents.",
                help=_HELP,
            )


@dataclass(slots=True)
class Uploads:
    """Limits how often, and how many at once, a tenant may upload documents to this process."""

    rates: Rates
    at_once: int
    _in_progress: Counter[UUID] = field(default_factory=Counter[UUID], init=False)

    @classmethod
    def of(cls, settings: Settings, clock: Callable[[], float] = time.monotonic) -> Uploads:
        """Read the limits from the settings; tenant rates are divided by the processes."""
        share = settings.processes
        per_second = settings.tenant_documents_per_minute / 60 / share
        burst = max(1, settings.tenant_burst // share)
        at_once = settings.tenant_at_once + settings.tenant_waiting
        return cls(Rates(per_second, burst, clock), at_once)

    @contextmanager
    def admitted(self, tenant: UUID) -> Iterator[None]:
        """Count one upload during the block; raises `TenantLimitError` if a limit is reached."""
        if (wait := self.rates.wait(tenant)) > 0:
            per_minute = math.floor(self.rates.per_second * 60)
            raise TenantLimitError(
                f"You send more than {per_minute:,} documents a minute.", retry_after=wait
            )
        if self._in_progress[tenant] >= self.at_once:
            raise TenantLimitError(
                f"You send more than {self.at_once:,} documents at once.", retry_after=SOON
            )
        self.rates.take(tenant)
        self._in_progress[tenant] += 1
        try:
            yield
        finally:
            self._in_progress[tenant] -= 1
            if not self._in_progress[tenant]:
                del self._in_progress[tenant]
