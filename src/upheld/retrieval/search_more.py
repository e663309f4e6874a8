"""A further search, when something is at hand already: if it fails, what there is stays."""

from __future__ import annotations

from upheld.errors import EngineError, ModelError, WebError
from upheld.ports import Searcher
from upheld.run.trace import current_run
from upheld.types import Evidence, Question


async def search_more(search: Searcher, query: Question, name: str) -> Evidence:
    """What it finds; nothing, and a label on the run, where it fails or finds nothing."""
    try:
        found = await search(query)
    except (EngineError, ModelError, WebError) as error:
        current_run().degrade(f"{name} failed: {str(error).splitlines()[0]}")
        return Evidence()
    if not found:
        current_run().degrade(f"{name} found nothing: {query.text}")
    return found
