"""The verifier that we ship, held to the contract of its port."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.integration.models.shipped_verifier import shipped_verify
from upheld.ports import Entailment
from upheld.testing.entailment_conformance import TrainedEntailmentConformance


class TestShippedVerifier(TrainedEntailmentConformance):
    @pytest.fixture
    async def model(self) -> AsyncIterator[Entailment]:
        async with shipped_verify() as stage:
            assert stage.model is not None
            yield stage.model
