"""The verifier as it ships: the weights in `upheld-verifier`, opened as the product opens them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from upheld.check import opened_verify
from upheld.settings import load_settings
from upheld.verification.verify import Verify


@asynccontextmanager
async def shipped_verify() -> AsyncIterator[Verify]:
    """The stage with its real model; weights that do not open are a failure."""
    async with opened_verify(load_settings()) as stage:
        assert stage.model is not None, stage.no_model
        yield stage
