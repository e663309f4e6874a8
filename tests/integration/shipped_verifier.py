"""The verifier as it ships: the weights in `upheld-models`, opened as the product opens them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

import upheld_models
from upheld.check import opened_verify
from upheld.settings import load_settings
from upheld.verification.verify import Verify


@asynccontextmanager
async def shipped_verify() -> AsyncIterator[Verify]:
    """The stage with its real model; weights that are there and do not open are a failure.

    Where the package is from before the verifier, tests skip, and in CI a skip fails the session.
    """
    if not hasattr(upheld_models, "verifier_model"):
        pytest.skip("the installed upheld-models has no verifier weights")
    async with opened_verify(load_settings()) as stage:
        assert stage.model is not None, stage.no_model
        yield stage
