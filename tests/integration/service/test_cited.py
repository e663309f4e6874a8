"""Which documents an answer counts as quoting, also when it looked wider."""

from __future__ import annotations

from uuid import UUID

import pytest

from tests.integration.service.people import new_tenant, put, with_collection
from tests.servers.postgres import State
from upheld.ingest.document import document_id
from upheld.types import Answer, Citation, Conflict, Passage, Status
from upheld_service.answering import _cited
from upheld_service.db import documents
from upheld_service.db.answers import Cited
from upheld_service.db.database import Database

pytestmark = pytest.mark.real


@pytest.fixture
async def tenant(state: State, database: Database) -> UUID:
    made = await new_tenant(state.owner)
    for name in ("staff", "library"):
        await with_collection(database, made, name)
    return made


def passage(id: str, uri: str = "") -> Passage:
    return Passage(f"{id}.1", "…", id, "v", 0, 1, uri=uri)


def answer(*sources: Passage, conflicts: tuple[Conflict, ...] = ()) -> Answer:
    return Answer("1", "Why?", Status.ANSWERED, "rag", "…", sources=sources, conflicts=conflicts)


async def test_sources_and_what_they_disagree_with(database: Database, tenant: UUID) -> None:
    one, other = (Citation(f"{id}.1", id, "v", 0, 1, "…") for id in ("a", "b"))
    said = answer(passage("a"), conflicts=(Conflict("…", one, other),))
    async with database.session(tenant, labels=None) as session:
        found = await _cited(session, "staff", None, said)
    assert found == {Cited("staff", "a"), Cited("staff", "b")}


async def test_another_collection_is_looked_up(database: Database, tenant: UUID) -> None:
    async with database.session(tenant, labels=None) as session:
        await put(session, "a")
        await put(session, "both")
        for id in ("both", "b"):
            await documents.put(session, "library", id, origin="b.txt", labels=frozenset())
        said = answer(passage("a"), passage("b"), passage("both"), passage("gone"))
        found = await _cited(session, "staff", "library", said)
    assert found == {
        Cited("staff", "a"),
        Cited("library", "b"),
        Cited("staff", "both"),
        Cited("library", "both"),
        Cited("staff", "gone"),  # `keep` refuses it
    }


async def test_pages_of_the_web_are_not_ours(database: Database, tenant: UUID) -> None:
    uri = "https://example.org/tower"
    page, own = passage(document_id(uri), uri), passage("tower", uri)
    async with database.session(tenant, labels=None) as session:
        found = await _cited(session, "staff", "http://127.0.0.1:8888", answer(page, own))
    assert found == {Cited("staff", "tower")}
