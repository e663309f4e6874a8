"""Random operations of three tenants: nothing of one is ever visible to another.

Nor is anything of a tenant visible to its keys with other labels. What a key with labels may see is
computed from a model that leaves out everything it may not see.

It runs twice: in the application's role, where row security stands behind the queries, and as a
superuser, whom row security does not bind, so that the queries stand alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Coroutine
from typing import Any, TypeVar
from uuid import UUID

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test
from sqlalchemy.ext.asyncio import create_async_engine

from tests.integration.service.people import new_tenant, with_collection
from tests.servers.postgres import State
from upheld._internal.loop_thread import LoopThread
from upheld.errors import ConflictError, NotFoundError, UsageError
from upheld.types import Scope
from upheld_service.db import answers, audit, collections, documents, idempotency
from upheld_service.db.answers import Cited, KeptAnswer
from upheld_service.db.connect import address
from upheld_service.db.database import Database, Session
from upheld_service.db.idempotency import Claim
from upheld_service.db.jobs import Jobs
from upheld_service.db.queue import NOT_CANCELLABLE, Task

pytestmark = pytest.mark.real

FEW = 10
T = TypeVar("T")
# Few names, so that tenants meet: everybody guesses everybody's ids.
who = st.integers(0, 2)
ids = st.sampled_from(["rota", "menu", "pay"])
answer_ids = st.sampled_from(["a1", "a2", "a3"])
label_sets = st.frozensets(st.sampled_from(["hr", "it"]))
views = st.none() | label_sets
tasks = st.sampled_from(list(Task))


class Model:
    """What one tenant should see: labels by document, scope and citations by answer."""

    def __init__(self) -> None:
        self.documents: dict[str, frozenset[str]] = {}
        self.answers: dict[str, tuple[frozenset[str] | None, frozenset[str]]] = {}
        self.replies: dict[str, str] = {}
        self.jobs: dict[int, tuple[Task, frozenset[str] | None]] = {}

    def sees(self, view: frozenset[str] | None) -> dict[str, frozenset[str]]:
        """Documents that a view has, with their labels."""
        scope = Scope("staff", view)
        return {id: labels for id, labels in self.documents.items() if scope.admits(labels)}

    def has_collection(self, view: frozenset[str] | None) -> bool:
        return view is None or bool(self.sees(view))

    def drop_citing(self, document: str) -> None:
        self.answers = {k: v for k, v in self.answers.items() if document not in v[1]}


class Tenants(RuleBasedStateMachine):
    """Every value that is written names its tenant, and every value read is looked at."""

    database: Database
    owner: Any
    loop: LoopThread

    def __init__(self) -> None:
        super().__init__()
        self.tenants = [self.wait(new_tenant(self.owner)) for _ in range(3)]
        for tenant in self.tenants:
            self.wait(with_collection(self.database, tenant))
        self.models: dict[int, Model] = defaultdict(Model)

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run(work)

    def tenant(self, number: int) -> UUID:
        return self.tenants[number]

    @rule(number=who, id=ids, labels=label_sets, view=views)
    def put(
        self, number: int, id: str, labels: frozenset[str], view: frozenset[str] | None
    ) -> None:
        async def work() -> type[Exception] | None:
            try:
                async with self.database.session(self.tenant(number), labels=view) as session:
                    await documents.put(session, "staff", id, origin=mark(number), labels=labels)
                    await audit.record(session, actor=mark(number), action="put", subject=id)
            except UsageError as error:
                return type(error)
            return None

        model = self.models[number]
        refused: type[Exception] | None = None
        if view is not None and not labels <= view:
            refused = UsageError
        elif view is not None and id not in model.sees(view):
            refused = NotFoundError  # whether it is there or not
        assert self.wait(work()) is refused
        if refused:
            return
        if model.documents.get(id, labels) != labels:
            model.drop_citing(id)
        model.documents[id] = labels

    @rule(number=who, id=ids, view=views)
    def delete(self, number: int, id: str, view: frozenset[str] | None) -> None:
        async def work() -> bool:
            try:
                async with self.database.session(self.tenant(number), labels=view) as session:
                    marked = await documents.condemn(session, "staff", id)
                    return await documents.forget(session, marked)
            except NotFoundError:
                return False

        model = self.models[number]
        seen = id in model.documents and Scope("staff", view).admits(model.documents[id])
        assert self.wait(work()) == seen
        if seen:
            del model.documents[id]
            model.drop_citing(id)

    @rule(number=who, id=answer_ids, cites=st.frozensets(ids), view=views)
    def keep(
        self, number: int, id: str, cites: frozenset[str], view: frozenset[str] | None
    ) -> None:
        model = self.models[number]
        if id in model.answers:
            return
        kept = KeptAnswer(id, "staff", mark(number), "rag", {"of": mark(number)}, [])

        async def work() -> bool:
            try:
                async with self.database.session(self.tenant(number), labels=view) as session:
                    await answers.keep(session, kept, cites=[Cited("staff", e) for e in cites])
            except NotFoundError:
                return False
            return True

        seen = {e for e, labels in model.documents.items() if Scope("staff", view).admits(labels)}
        possible = cites <= seen
        assert self.wait(work()) == possible
        if possible:
            model.answers[id] = (view, cites)

    @rule(number=who, id=answer_ids, view=views)
    def read_answer(self, number: int, id: str, view: frozenset[str] | None) -> None:
        async def work() -> Any:
            async with self.database.session(self.tenant(number), labels=view) as session:
                return (await answers.get(session, id)).body

        model = self.models[number]
        asker = model.answers.get(id)
        if asker is not None and covers(view, asker[0]) and model.has_collection(view):
            assert self.wait(work()) == {"of": mark(number)}
        else:
            with pytest.raises(NotFoundError):
                self.wait(work())

    @rule(number=who, key=ids)
    def repeat(self, number: int, key: str) -> None:
        async def work() -> Any:
            async with self.database.session(self.tenant(number), labels=None) as session:
                got = await idempotency.begin(session, route="r", key=key, request=b"same")
                if not isinstance(got, Claim):
                    return got.body
                await idempotency.finish(session, got, status=200, body=mark(number))
                return None

        assert self.wait(work()) == self.models[number].replies.get(key)
        self.models[number].replies[key] = mark(number)

    @rule(number=who, task=tasks, view=views)
    def defer(self, number: int, task: Task, view: frozenset[str] | None) -> None:
        async def work() -> int:
            async with self.database.session(self.tenant(number), labels=view) as session:
                return await Jobs(session).defer(task, "staff")

        job, jobs = self.wait(work()), self.models[number].jobs
        assert jobs.setdefault(job, (task, view)) == (task, view)  # no view waits with another

    @rule(number=who, other=who, view=views, data=st.data())
    def guess_a_job(
        self, number: int, other: int, view: frozenset[str] | None, data: st.DataObject
    ) -> None:
        guesses = sorted(self.models[other].jobs)
        if not guesses:
            return
        job = data.draw(st.sampled_from(guesses))

        async def work() -> type[Exception] | None:
            try:
                async with self.database.session(self.tenant(number), labels=view) as session:
                    await Jobs(session).cancel(job)
            except UsageError as error:
                return type(error)
            return None

        task, asker = self.models[other].jobs[job]
        refused: type[Exception] | None = None
        if number != other or not covers(view, asker):
            refused = NotFoundError
        elif task in NOT_CANCELLABLE:
            refused = ConflictError
        assert self.wait(work()) is refused

    @rule(number=who)
    def misuse_a_key(self, number: int) -> None:
        async def work() -> None:
            async with self.database.session(self.tenant(number), labels=None) as session:
                await idempotency.begin(session, route="r", key="rota", request=b"another")

        if "rota" in self.models[number].replies:
            with pytest.raises(ConflictError):
                self.wait(work())

    @rule(number=who, view=views)
    def look_around(self, number: int, view: frozenset[str] | None) -> None:
        async def work() -> None:
            async with self.database.session(self.tenant(number), labels=view) as session:
                await self.sees_its_own(session, number)

        self.wait(work())

    def teardown(self) -> None:
        for number in range(3):
            self.look_around(number, None)
            for id in ("a1", "a2", "a3"):
                self.read_answer(number, id, None)

    async def sees_its_own(self, session: Session, number: int) -> None:
        model, view = self.models[number], session.labels
        found = await documents.listed(session, "staff", limit=50)
        assert {each.id: each.labels for each in found} == model.sees(view)
        assert {each.origin for each in found} <= {mark(number)}
        assert await collections.listed(session) == ["staff"] * model.has_collection(view)
        entries = await audit.listed(session, limit=500)
        assert {entry.actor for entry in entries} <= {mark(number), audit.ADMIN}
        jobs = {job.id for job in await Jobs(session).listed(limit=50)}
        assert jobs == {id for id, (_, asker) in model.jobs.items() if covers(view, asker)}


def mark(number: int) -> str:
    return f"of tenant {number}"


def covers(reader: frozenset[str] | None, asker: frozenset[str] | None) -> bool:
    return reader is None or (asker is not None and asker <= reader)


@pytest.mark.parametrize("walls", ["row security and queries", "queries alone"])
@pytest.mark.parametrize(
    "runs",
    [
        pytest.param(FEW, id="few"),
        pytest.param(100, id="many", marks=[pytest.mark.campaign, pytest.mark.timeout(7200)]),
    ],
)
def test_nothing_of_one_tenant_is_visible_to_another(state: State, walls: str, runs: int) -> None:
    loop = LoopThread()
    if walls == "queries alone":
        database = Database(create_async_engine(address(state.superuser)))
    else:
        database = Database.open(state.service)
    machine = type(
        "OurTenants", (Tenants,), {"database": database, "owner": state.owner, "loop": loop}
    )
    try:
        run_state_machine_as_test(
            machine,
            settings=settings(
                max_examples=runs,
                stateful_step_count=40,
                deadline=None,
                derandomize=runs == FEW,  # CI does the same each time
                phases=[Phase.generate],  # a failure is told at once, with its steps
                suppress_health_check=list(HealthCheck),
                database=None,
            ),
        )
    finally:
        loop.run(database.close())
        loop.stop()
