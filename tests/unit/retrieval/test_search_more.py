from __future__ import annotations

import pytest

from tests.messages import only_says
from tests.unit.shelf import Asked, shelf
from upheld.errors import (
    BudgetExceededError,
    EngineError,
    ModelError,
    NotFoundError,
    UpheldError,
    WebUnavailableError,
)
from upheld.retrieval.search import search_more
from upheld.run.trace import start_run
from upheld.types import Evidence, Question

ASK = Question("Where do owls sleep?")


async def test_what_is_found_is_given() -> None:
    search = await shelf(owls="Owls sleep in barns.")
    with start_run() as run:
        found = await search_more(search, ASK, "the further search")
    assert [passage.document_id for passage in found.passages] == ["owls"]
    assert run.degraded == []


async def test_nothing_is_told_with_the_query() -> None:
    with start_run() as run:
        assert await search_more(Asked(), ASK, "the further search") == Evidence()
    assert only_says(run.degraded, "nothing", "Where do owls sleep?")


@pytest.mark.parametrize("kind", [EngineError, ModelError, WebUnavailableError])
async def test_a_failure_is_nothing_found_and_told(kind: type[UpheldError]) -> None:
    with start_run() as run:
        search = Asked(errors=[kind("broken", help="Mend it.")])
        assert await search_more(search, ASK, "the further search") == Evidence()
    assert only_says(run.degraded, "search failed", "broken")


@pytest.mark.parametrize("kind", [BudgetExceededError, NotFoundError])
async def test_what_ends_the_run_passes_through(kind: type[UpheldError]) -> None:
    with pytest.raises(kind):
        await search_more(Asked(errors=[kind("no")]), ASK, "the further search")
