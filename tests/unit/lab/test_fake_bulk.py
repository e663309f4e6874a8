from __future__ import annotations

import pytest

from upheld.bulk import Bulk
from upheld.testing.bulk_conformance import BulkConformance
from upheld_lab.testing.fake_bulk import FakeBulk


class TestFakeBulk(BulkConformance):
    @pytest.fixture
    def bulk(self) -> Bulk:
        return FakeBulk()
