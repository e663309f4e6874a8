"""Tenants with something to hide."""

from __future__ import annotations

from uuid import UUID, uuid4

from pydantic import SecretStr

from upheld_service.db import answers, collections, documents, tenants
from upheld_service.db.answers import Cited, KeptAnswer
from upheld_service.db.database import Database, Session, admin_session
from upheld_service.db.documents import Document


async def new_tenant(owner: SecretStr) -> UUID:
    """A tenant with a name that nobody has."""
    async with admin_session(owner) as admin:
        return (await tenants.add(admin, f"tenant-{uuid4().hex[:8]}")).id


async def with_collection(database: Database, tenant: UUID, name: str = "staff") -> None:
    async with database.session(tenant, labels=None) as session:
        await collections.ensure(session, name)


async def put(session: Session, id: str, *labels: str, origin: str = "a.pdf") -> Document:
    return await documents.put(session, "staff", id, origin=origin, labels=frozenset(labels))


async def keep(session: Session, id: str, *cites: str) -> KeptAnswer:
    """An answer that quotes documents of the collection `staff`."""
    body = {"id": id, "text": "It opens at nine.\u0000"}
    answer = KeptAnswer(id, "staff", "When?", "upheld", body, [{"stage": "search"}])
    await answers.keep(session, answer, cites=[Cited("staff", each) for each in cites])
    return answer
