"""Admit requests: start them, queue them, or refuse them with a Retry-After.

    async with admission.admitted(tenant, seconds=budget.seconds):
        answer = await kb.ask(question)

So many requests run at once, so many wait, and the rest are refused at once: an overloaded service
that refuses in a millisecond does more work than one that lets every client wait until it times
out. Free places go round the waiting tenants, so a tenant with a hundred waiting requests delays
one with a single request by one place, not by a hundred.

All limits count one process, because how much can run at once depends on a process and its cores. A
tenant's rate is divided by the number of processes: if a load balancer spreads requests unevenly, a
tenant gets less than its rate, never more. A counter in PostgreSQL would be exact, but costs a
write and a row lock per request, most of all under the load that this protects from, and there
would be no limit, or no service, while the database is down.

`Rates` limits how often a tenant may ask. `Place` is the one way by which a costly request enters.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Request

from upheld.errors import AdmissionError, ServiceFullError, TenantLimitError
from upheld.run.budget import Budget
from upheld.settings import Settings
from upheld_service.http.connections import while_there

FORGET_ABOVE = 1000  # tenants; above it, buckets that are full again are dropped


@dataclass(slots=True)
class Rates:
    """A token bucket per tenant: `per_second` in the long run, and `burst` at once after a pause.

    A bucket is stored as the time at which it will be full (the generic cell rate algorithm), so
    there is nothing to refill, and an unknown tenant has a full one.
    """

    per_second: float
    burst: int
    clock: Callable[[], float] = time.monotonic
    _full_at: dict[Hashable, float] = field(default_factory=dict, init=False)

    def wait(self, tenant: Hashable) -> float:
        """Return the seconds until this tenant may ask; zero or less means now."""
        until_full = self._full_at.get(tenant, 0.0) - self.clock()
        return until_full - (self.burst - 1) / self.per_second

    def take(self, tenant: Hashable) -> None:
        """Count one request."""
        now = self.clock()
        if len(self._full_at) > FORGET_ABOVE:
            self._full_at = {each: at for each, at in self._full_at.items() if at > now}
        self._full_at[tenant] = max(self._full_at.get(tenant, 0.0), now) + 1 / self.per_second


SOON = 1.0  # seconds; places come free all the time
LATER = 5.0  # seconds; until another process has taken over


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of one process."""

    at_once: int
    waiting: int
    wait_seconds: float
    tenant_at_once: int
    tenant_waiting: int
    tenant_per_second: float
    tenant_burst: int

    @classmethod
    def of(cls, settings: Settings) -> Limits:
        """Read the limits from the settings; tenant rates are divided by the processes."""
        share = settings.processes
        return cls(
            at_once=settings.at_once,
            waiting=settings.waiting,
            wait_seconds=settings.wait_seconds,
            tenant_at_once=settings.tenant_at_once,
            tenant_waiting=settings.tenant_waiting,
            tenant_per_second=settings.tenant_per_minute / 60 / share,
            tenant_burst=max(1, settings.tenant_burst // share),
        )


class Admission:
    """The admission queue of one process; single-threaded, as asyncio is."""

    def __init__(
        self,
        limits: Limits,
        clock: Callable[[], float] = time.monotonic,
        changed: Callable[[int, int], None] | None = None,  # called with (running, waiting)
    ) -> None:
        self._limits = limits
        self._changed = changed
        self._rates = Rates(limits.tenant_per_second, limits.tenant_burst, clock)
        self._running: Counter[Hashable] = Counter()
        # The first tenant is served next; a served tenant goes to the end.
        self._waiting: dict[Hashable, deque[asyncio.Future[None]]] = {}
        self._draining = False
        self._empty = asyncio.Event()
        self._empty.set()

    @property
    def in_progress(self) -> int:
        return self._running.total()

    @property
    def waiting(self) -> int:
        return sum(map(len, self._waiting.values()))

    @property
    def draining(self) -> bool:
        return self._draining

    @asynccontextmanager
    async def admitted(self, tenant: Hashable, seconds: float = math.inf) -> AsyncIterator[None]:
        """Hold a place during the block; wait for it at most `seconds`.

        Raises `TenantLimitError` or `ServiceFullError` if there is none.
        """
        await self._enter(tenant, seconds)
        try:
            yield
        finally:
            self._leave(tenant)

    async def drain(self, seconds: float) -> bool:
        """Refuse new requests, and return whether all running ones have ended in time."""
        self._draining = True
        try:
            async with asyncio.timeout(seconds):
                await self._empty.wait()
        except TimeoutError:
            return False
        return True

    # --- in and out ------------------------------------------------------------------------------

    async def _enter(self, tenant: Hashable, seconds: float) -> None:
        if (refusal := self._refusal(tenant)) is not None:
            raise refusal
        self._rates.take(tenant)
        self._empty.clear()
        place = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(tenant, deque()).append(place)
        self._hand_out()
        try:
            async with asyncio.timeout(min(seconds, self._limits.wait_seconds)):
                await place
        except BaseException as error:
            own_limit = self._running[tenant] >= self._limits.tenant_at_once
            self._give_up(tenant, place)
            if isinstance(error, TimeoutError):
                raise _in_vain(own_limit) from error
            raise

    def _refusal(self, tenant: Hashable) -> AdmissionError | None:
        limits = self._limits
        if self._draining:
            return ServiceFullError("The service is shutting down.", retry_after=LATER)
        if (wait := self._rates.wait(tenant)) > 0:
            return TenantLimitError("Your rate limit is reached.", retry_after=wait)
        own, of_all = len(self._waiting.get(tenant, ())), self.waiting
        would_wait = (
            self.in_progress >= limits.at_once or self._running[tenant] >= limits.tenant_at_once
        )
        if would_wait and own >= limits.tenant_waiting:
            return TenantLimitError("Too many of your requests are waiting.", retry_after=SOON)
        if would_wait and of_all >= limits.waiting:
            return ServiceFullError("The service is at capacity.", retry_after=SOON)
        return None

    def _leave(self, tenant: Hashable) -> None:
        self._running[tenant] -= 1
        if not self._running[tenant]:
            del self._running[tenant]
        self._hand_out()

    def _give_up(self, tenant: Hashable, place: asyncio.Future[None]) -> None:
        """Leave the queue, or the place if it was assigned at the same moment."""
        if place.done() and not place.cancelled():
            self._leave(tenant)
            return
        if place in (queue := self._waiting.get(tenant, deque())):
            queue.remove(place)
            if not queue:
                del self._waiting[tenant]
        self._hand_out()

    def _hand_out(self) -> None:
        """Assign free places to waiting requests, one tenant after the other."""
        while self.in_progress < self._limits.at_once:
            tenant = next(filter(self._may_run, self._waiting), None)
            if tenant is None:
                break
            queue = self._waiting.pop(tenant)
            place = queue.popleft()
            if queue:
                self._waiting[tenant] = queue
            if not place.done():  # a cancelled request is leaving the queue
                place.set_result(None)
                self._running[tenant] += 1
        if not self._running and not self._waiting:
            self._empty.set()
        if self._changed is not None:
            self._changed(self.in_progress, self.waiting)

    def _may_run(self, tenant: Hashable) -> bool:
        return self._running[tenant] < self._limits.tenant_at_once


def _in_vain(own_limit: bool) -> AdmissionError:
    if own_limit:
        return TenantLimitError(
            "The request timed out while it waited for your other requests.", retry_after=SOON
        )
    return ServiceFullError("The request timed out while it waited for capacity.", retry_after=SOON)


@dataclass(frozen=True, slots=True)
class Place:
    """A place for one request, taken once its budget is known."""

    request: Request
    admission: Admission
    tenant: UUID
    leaving: AsyncExitStack

    async def take(self, budget: Budget) -> Budget:
        """Wait for a place within the budget; return what is left of the budget.

        The budget's time starts when the request was received.
        """
        seconds = budget.seconds
        assert seconds is not None  # the service has no answer without a time limit
        began = getattr(self.request.state, "received_at", time.monotonic())
        admitted = self.admission.admitted(self.tenant, seconds - (time.monotonic() - began))
        await while_there(self.request, self.leaving.enter_async_context(admitted))
        return replace(budget, seconds=max(seconds - (time.monotonic() - began), 0.0))


async def _place(request: Request) -> AsyncIterator[Place]:
    """Provide a place that is held until the last byte of the reply, also of a stream."""
    admission: Admission = request.app.state.admission
    async with AsyncExitStack() as leaving:
        yield Place(request, admission, request.state.caller.tenant, leaving)


Admitted = Annotated[Place, Depends(_place)]
