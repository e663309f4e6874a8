"""Documents and the answers that quote them: labels, versions, and what deletion takes along."""

from __future__ import annotations

from uuid import UUID

import pytest

from tests.integration.service.people import keep, new_tenant, put, with_collection
from tests.servers.postgres import State
from upheld.errors import ConflictError, NotFoundError, UsageError
from upheld_service.db import answers, collections, documents, idempotency
from upheld_service.db.database import Database, Session
from upheld_service.db.documents import DocumentStatus
from upheld_service.db.idempotency import Claim

pytestmark = pytest.mark.real

HR, IT = frozenset({"hr"}), frozenset({"it"})


@pytest.fixture
async def tenant(state: State, database: Database) -> UUID:
    made = await new_tenant(state.owner)
    await with_collection(database, made)
    return made


async def test_a_collection_is_made_once(database: Database, tenant: UUID) -> None:
    async with database.session(tenant, labels=None) as session:
        await collections.ensure(session, "board")
        await collections.ensure(session, "board")
        assert await collections.listed(session) == ["board", "staff"]


async def test_a_document_goes_its_way(database: Database, tenant: UUID) -> None:
    async with database.session(tenant, labels=None) as session:
        given = await put(session, "rota", "hr")
        assert (given.status, given.revision, given.version) == (DocumentStatus.PENDING, 1, None)
        assert await documents.finish(session, given, version="v1")
        read = await documents.get(session, "staff", "rota")
        assert (read.status, read.version, read.labels) == (DocumentStatus.READY, "v1", HR)
        marked = await documents.condemn(session, "staff", "rota")
        assert await documents.forget(session, marked)
        with pytest.raises(NotFoundError):
            await documents.get(session, "staff", "rota")


async def test_a_job_that_is_late_does_not_touch_what_was_given_again(
    database: Database, tenant: UUID
) -> None:
    async with database.session(tenant, labels=None) as session:
        first = await put(session, "rota")
        second = await put(session, "rota")
        assert not await documents.finish(session, first, version="old")
        assert not await documents.fail(session, first, error="too old")
        assert await documents.get(session, "staff", "rota") == second
        assert await documents.fail(session, second, error="no text")
        marked = await documents.condemn(session, "staff", "rota")
        await put(session, "rota")
        assert not await documents.forget(session, marked)


async def test_running_a_job_twice_finishes_once(database: Database, tenant: UUID) -> None:
    async with database.session(tenant, labels=None) as session:
        given = await put(session, "rota")
        assert await documents.finish(session, given, version="v1")
        assert not await documents.finish(session, given, version="v1")


async def test_pages_and_statuses(database: Database, tenant: UUID) -> None:
    async with database.session(tenant, labels=None) as session:
        for name in ("a", "b", "c"):
            await put(session, name)
        await documents.condemn(session, "staff", "b")
        first = await documents.listed(session, "staff", limit=2)
        rest = await documents.listed(session, "staff", limit=2, after=first[-1].id)
        assert [each.id for each in (*first, *rest)] == ["a", "b", "c"]
        waiting = await documents.listed(session, "staff", limit=9, status=DocumentStatus.PENDING)
        assert [each.id for each in waiting] == ["a", "c"]


async def test_labels_limit_what_is_seen_and_changed(database: Database, tenant: UUID) -> None:
    async with database.session(tenant, labels=None) as session:
        await put(session, "pay", "hr")
        await put(session, "menu")
    async with database.session(tenant, labels=IT) as session:
        assert [each.id for each in await documents.listed(session, "staff", limit=9)] == ["menu"]
        for attempt in (documents.get, documents.condemn):
            with pytest.raises(NotFoundError):
                await attempt(session, "staff", "pay")
        with pytest.raises(NotFoundError):
            await put(session, "pay", "it")
        with pytest.raises(UsageError, match="may not assign"):
            await put(session, "mine", "hr")
    async with database.session(tenant, labels=HR) as session:
        pay = await documents.get(session, "staff", "pay")
        assert (pay.revision, pay.labels) == (1, HR)


async def test_an_answer_comes_back_as_it_was(database: Database, tenant: UUID) -> None:
    async with database.session(tenant, labels=None) as session:
        await put(session, "rota")
        kept = await keep(session, "a1", "rota")
        got = await answers.get(session, "a1")
    assert (got.body, got.trace, got.question) == (kept.body, kept.trace, kept.question)
    assert list(got.body) == list(kept.body)


async def test_an_answer_is_for_those_who_may_see_what_the_asker_could(
    database: Database, tenant: UUID
) -> None:
    async with database.session(tenant, labels=None) as session:
        await put(session, "open")  # else nobody with labels would see the collection
        await keep(session, "owners")
    async with database.session(tenant, labels=HR) as session:
        await keep(session, "hrs")
    readers: dict[str, frozenset[str] | None] = {
        "all": None,
        "hr+it": HR | IT,
        "hr": HR,
        "it": IT,
        "-": frozenset(),
    }
    seen = {}
    for name, labels in readers.items():
        async with database.session(tenant, labels=labels) as session:
            seen[name] = [id for id in ("owners", "hrs") if await _there(session, id)]
    assert seen == {"all": ["owners", "hrs"], "hr+it": ["hrs"], "hr": ["hrs"], "it": [], "-": []}


async def test_deleting_a_document_deletes_what_quotes_it(database: Database, tenant: UUID) -> None:
    async with database.session(tenant, labels=None) as session:
        await put(session, "rota")
        await put(session, "menu")
        await keep(session, "both", "rota", "menu")
        await keep(session, "other", "menu")
        claim = await idempotency.begin(session, route="/v1/answers", key="k", request=b"1")
        assert isinstance(claim, Claim)
        await idempotency.finish(session, claim, status=200, body={"q": 1}, answer_id="both")
    async with database.session(tenant, labels=None) as session:
        await documents.condemn(session, "staff", "rota")
        assert not await _there(session, "both")
        assert await _there(session, "other")
        again = await idempotency.begin(session, route="/v1/answers", key="k", request=b"1")
        assert isinstance(again, Claim)  # no reply is left that could be replayed


@pytest.mark.parametrize("gone", ["condemned", "forgotten", "unknown"])
async def test_an_answer_that_comes_too_late_is_not_kept(
    database: Database, tenant: UUID, gone: str
) -> None:
    async with database.session(tenant, labels=None) as session:
        if gone != "unknown":
            await put(session, "rota")
            marked = await documents.condemn(session, "staff", "rota")
            if gone == "forgotten":
                assert await documents.forget(session, marked)
    with pytest.raises(NotFoundError, match="has been deleted"):
        async with database.session(tenant, labels=None) as session:
            await keep(session, "late", "rota")
    async with database.session(tenant, labels=None) as session:
        assert not await _there(session, "late")


async def test_new_labels_delete_answers_to_those_who_saw_it_before(
    database: Database, tenant: UUID
) -> None:
    async with database.session(tenant, labels=None) as session:
        await put(session, "rota")
        await keep(session, "a1", "rota")
        await put(session, "rota")  # a new version: the answer says which one it quotes
        assert await _there(session, "a1")
        await put(session, "rota", "hr")
        assert not await _there(session, "a1")


async def test_a_collection_that_is_not_there_is_told(database: Database, tenant: UUID) -> None:
    with pytest.raises(NotFoundError, match="no such"):
        async with database.session(tenant, labels=None) as session:
            await documents.put(session, "nowhere", "a", origin="a", labels=frozenset())


@pytest.mark.parametrize("id", ["\0", "\ud800"])
async def test_text_that_cannot_be_stored_is_the_callers_fault(
    database: Database, tenant: UUID, id: str
) -> None:
    with pytest.raises(UsageError, match="cannot be stored"):
        async with database.session(tenant, labels=None) as session:
            await documents.get(session, "staff", id)


async def test_a_block_that_fails_leaves_nothing(database: Database, tenant: UUID) -> None:
    async def changed_my_mind() -> None:
        async with database.session(tenant, labels=None) as session:
            await put(session, "rota")
            raise ConflictError("changed my mind")

    with pytest.raises(ConflictError):
        await changed_my_mind()
    async with database.session(tenant, labels=None) as session:
        assert await documents.listed(session, "staff", limit=9) == []


async def _there(session: Session, id: str) -> bool:
    try:
        await answers.get(session, id)
    except NotFoundError:
        return False
    return True
