"""Health checks: is the process alive, and is every part that it needs?"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Literal, TypeVar

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel

from upheld._internal.concurrency import all_of
from upheld.errors import ModelError, UpheldError
from upheld.ports import Message, Pair, QueryPassagePair, Sampling
from upheld.resources.open import has_local_models
from upheld_service.auth.middleware import Parts
from upheld_service.http.deadline import in_time
from upheld_service.resources import Service

T = TypeVar("T")
router = APIRouter(tags=["health"])
CHECK_SECONDS = 2.0
OK_SECONDS = 5.0  # for which a successful check is cached
FAILED_SECONDS = 1.0
SECONDS = {"llm": 30.0}  # each check is a call, which may cost money
SAME_LOOK_SECONDS = 0.1
NEEDED = (
    "database",
    "storage",
    "admission",
)  # without any other part, answers are degraded


class Alive(BaseModel):
    """The process is alive."""

    status: Literal["ok"] = "ok"


class PartState(BaseModel):
    """The state of one component; `reason` is the type of the error, never its message."""

    status: Literal["ok", "off", "failed"]
    reason: str = ""


class Readiness(BaseModel):
    """The state of every component; `ready` if all required ones work."""

    ready: bool
    parts: dict[str, PartState]


_OK = PartState(status="ok")
Check = Callable[[], Coroutine[Any, Any, object]]


@router.get("/healthz", summary="Is the process alive?")
async def healthz() -> Alive:
    """No component is checked: use it to decide whether to restart the process."""
    return Alive()


@router.get(
    "/readyz",
    summary="Is the service ready?",
    responses={503: {"model": Readiness, "description": "A required component does not work."}},
)
async def readyz(request: Request, service: Parts, response: Response) -> Readiness:
    """Use it to decide whether to send requests; components are checked every few seconds."""
    known: KnownStates = request.app.state.readiness
    parts = dict(await known.of(_checks(service)))
    draining = request.app.state.admission.draining
    parts["admission"] = PartState(status="failed", reason="draining") if draining else _OK
    ready = all(parts[name].status == "ok" for name in NEEDED)
    response.status_code = 200 if ready else 503
    return Readiness(ready=ready, parts=parts)


class KnownStates:
    """Caches the state of each part: anyone may call this, so it must cost almost nothing.

    Concurrent callers share one check of the parts. A state is cached for `seconds` after its check
    began, and a failure for a shorter time, since parts recover.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: dict[str, tuple[float, PartState]] = {}  # until when
        self._look: asyncio.Task[None] | None = None

    async def of(self, checks: Mapping[str, Check | None]) -> dict[str, PartState]:
        """Return the state of each part, checked again where the cached one is too old."""
        while stale := self._stale(checks):
            if self._look is None:
                self._look = asyncio.create_task(
                    self._check({name: checks[name] for name in stale})
                )
            await asyncio.shield(self._look)  # a caller that leaves does not stop it for others
        return {name: self._known[name][1] for name in checks}

    def _stale(self, checks: Mapping[str, Check | None]) -> list[str]:
        now = self._clock()
        return [name for name in checks if self._known.get(name, (-math.inf,))[0] <= now]

    async def _check(self, checks: Mapping[str, Check | None]) -> None:
        began = self._clock()
        try:
            states = await all_of(_state(check) for check in checks.values())
        finally:
            self._look = None
        # Valid at least for the callers that waited for this check, however long it took.
        now = self._clock()
        for name, state in zip(checks, states, strict=True):
            seconds = FAILED_SECONDS if state.status == "failed" else SECONDS.get(name, OK_SECONDS)
            self._known[name] = (max(began + seconds, now + SAME_LOOK_SECONDS), state)


async def _state(check: Check | None) -> PartState:
    if check is None:
        return PartState(status="off")
    try:
        await in_time(CHECK_SECONDS, check())
    except TimeoutError:
        return PartState(status="failed", reason="timeout")
    except (UpheldError, OSError) as error:
        return PartState(status="failed", reason=type(error).__name__)
    return _OK


def _checks(service: Service) -> dict[str, Check | None]:
    """Return the smallest use of each part; None if the settings leave it out."""
    shared = service.shared
    local = service.settings.local_models and has_local_models()

    async def embedder() -> None:
        await _there(shared.embedder).embed(["a test"])

    async def verifier() -> None:
        await _there(shared.verify.model).judge([Pair("It opens at nine.", "It opens.")])

    async def grader() -> None:
        await _there(shared.grade.grader).grade([QueryPassagePair("When?", "It opens at nine.")])

    async def llm() -> None:
        asked = _there(shared.llm).stream([Message("user", "Say yes.")], Sampling(max_tokens=1))
        async for _ in asked:
            break

    return {
        "database": service.database.reach,
        "storage": service.tenant_indexes.reach,
        "embedder": embedder if local else None,
        "verifier": verifier if local else None,
        "grader": grader if local else None,
        "llm": llm if shared.llm else None,
    }


def _there(part: T | None) -> T:
    if part is None:
        raise ModelError("it could not be opened")
    return part
