"""The one place where a request that costs something is let in and counted."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Request

from upheld.run.budget import Budget
from upheld.service.admission.admission import Admission
from upheld.service.http.disconnect import while_there


@dataclass(frozen=True, slots=True)
class Place:
    """A place among those who are served, asked for once it is known how long its caller waits."""

    request: Request
    admission: Admission
    tenant: UUID
    leaving: AsyncExitStack

    async def take(self, budget: Budget) -> Budget:
        """Wait for it, within the budget; what is left of the budget then.

        The budget's time runs from when the request had come.
        """
        seconds = budget.seconds
        assert seconds is not None  # the service gives no answer for ever
        began = getattr(self.request.state, "received_at", time.monotonic())
        admitted = self.admission.admitted(self.tenant, seconds - (time.monotonic() - began))
        await while_there(self.request, self.leaving.enter_async_context(admitted))
        return replace(budget, seconds=max(seconds - (time.monotonic() - began), 0.0))


async def _place(request: Request) -> AsyncIterator[Place]:
    """Held until the last byte of the reply, also of a stream."""
    admission: Admission = request.app.state.admission
    async with AsyncExitStack() as leaving:
        yield Place(request, admission, request.state.caller.tenant, leaving)


Admitted = Annotated[Place, Depends(_place)]
