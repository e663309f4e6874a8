"""What every `Searcher` must do; subclass it in a test and define a `searcher` fixture.

The tests are coroutines: run them with pytest-asyncio and `asyncio_mode = "auto"`.
"""

from __future__ import annotations

import asyncio

from upheld.ports import Searcher
from upheld.run.trace import start_run
from upheld.types import Question, passage_id

KNOWN = Question("When was the Skarvik lighthouse lit for the first time?")
ANSWER = "Its lamp was lit for the first time on 3 October 1871."
UNHEARD_OF = Question("zyxgloop qwertlefump")


class SearcherConformance:
    """The contract of the port, as tests; the searched texts must contain `ANSWER`."""

    async def test_it_finds_what_answers(self, searcher: Searcher) -> None:
        found = await searcher(KNOWN)
        assert any(ANSWER in passage.text for passage in found.passages)

    async def test_places_are_exact(self, searcher: Searcher) -> None:
        for passage in (await searcher(KNOWN)).passages:
            assert passage.end - passage.start == len(passage.text)
            place = (passage.document_id, passage.document_version, passage.start, passage.end)
            assert passage.id == passage_id(*place)

    async def test_no_passage_comes_twice(self, searcher: Searcher) -> None:
        ids = [passage.id for passage in (await searcher(KNOWN)).passages]
        assert len(ids) == len(set(ids))

    async def test_every_hit_knows_its_query(self, searcher: Searcher) -> None:
        assert {hit.query for hit in await searcher(KNOWN)} == {KNOWN.text}

    async def test_what_nobody_speaks_of_is_no_error(self, searcher: Searcher) -> None:
        await searcher(UNHEARD_OF)

    async def test_callers_at_the_same_time_find_the_same(self, searcher: Searcher) -> None:
        one, other = await asyncio.gather(searcher(KNOWN), searcher(KNOWN))
        assert one.passages == other.passages


class TracedSearcherConformance(SearcherConformance):
    """Also for the searchers of Upheld, which count and trace themselves.

    One that is given to `Upheld.open(searcher=…)` need not: `ask` does it for that one.
    """

    async def test_a_search_is_counted_and_traced(self, searcher: Searcher) -> None:
        with start_run() as run:
            await searcher(KNOWN)
        assert run.meter.used.searches == 1
        assert any(event.usage.searches for event in run.events)
