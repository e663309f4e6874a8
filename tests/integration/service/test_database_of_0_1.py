"""A database and storage that the service of 0.1 left: migrated, and served under today's names."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest
from fastapi import FastAPI
from pydantic import SecretStr, TypeAdapter

from tests.integration.places import Place
from tests.integration.service.serving import ask, client, running, service_settings, work_off
from tests.servers.postgres import State, new_name
from tests.stored_0_1 import EARLY, LATE, unpack
from upheld.settings import Settings
from upheld.types import Answer
from upheld_service.db.connect import conninfo
from upheld_service.db.dev_postgres import SERVICE, PrivatePostgres
from upheld_service.db.migrate import check, migrate
from upheld_service.tenants.deletion import end_tenant

pytestmark = pytest.mark.real
QUESTION = "When does the ferry leave?"
DOCUMENTS = "/v1/collections/staff/documents"
GUARANTEE = "/v1/collections/staff/guarantee"


@dataclass(frozen=True, slots=True)
class Stored:
    """What 0.1 left, with its database restored but not migrated."""

    state: State
    folder: Path
    revision: str

    @property
    def settings(self) -> Settings:
        """With models: the index has vectors."""
        return service_settings(self.state, Place(str(self.folder / "kb")), local_models=True)

    @property
    def answers(self) -> dict[str, Any]:
        """As 0.1 sent them, by who asked."""
        answers: dict[str, Any] = json.loads((self.folder / "answers.json").read_text("utf-8"))
        return answers

    def rows(self) -> dict[str, list[Any]]:
        """Every row of every table."""
        names = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        with psycopg.connect(conninfo(self.state.superuser)) as connection:
            return {
                name: [
                    row
                    for (row,) in connection.execute(f"SELECT to_json(t) FROM {name} t".encode())
                ]
                for (name,) in connection.execute(names).fetchall()
            }

    @asynccontextmanager
    async def served(self) -> AsyncIterator[tuple[FastAPI, dict[str, httpx2.AsyncClient]]]:
        """The service of today, and a client for each key that 0.1 made."""
        migrate(self.state.owner)
        keys = json.loads((self.folder / "keys.json").read_text("utf-8"))
        async with running(self.settings) as app, AsyncExitStack() as stack:
            yield (
                app,
                {
                    name: await stack.enter_async_context(client(app, SecretStr(key)))
                    for name, key in keys.items()
                },
            )


# `state` is another database of the server: with it there are the roles that the dump names.
@pytest.fixture(params=[(EARLY, "0007"), (LATE, "0009")], ids=[EARLY, LATE])
def stored(
    request: pytest.FixtureRequest, postgres: PrivatePostgres, state: State, tmp_path: Path
) -> Stored:
    commit, revision = request.param
    unpack(commit, tmp_path)
    folder = tmp_path / "service"
    name = new_name()
    own = State(postgres, postgres.empty_database(name), postgres.url(SERVICE, name))
    with psycopg.connect(conninfo(own.superuser)) as connection:
        connection.execute((folder / "database.sql").read_bytes())
    return Stored(own, folder, revision)


def test_no_row_is_lost(stored: Stored) -> None:
    before = stored.rows()
    assert before.pop("alembic_version") == [{"version_num": stored.revision}]
    assert all(before[name] for name in ("tenants", "api_keys", "answers", "guarantees"))
    migrate(stored.state.owner)
    check(stored.state.owner)
    after = stored.rows()
    for job in before["procrastinate_jobs"]:  # a deletion waits for nobody's reading any more
        if (job["queue_name"], job["status"]) == ("delete", "todo"):
            job["lock"] = f"{job['lock'].removesuffix('/delete')}/delete"
    for name, rows in before.items():
        columns = rows[0] if rows else {}
        left = [{column: row[column] for column in columns} for row in after[name]]
        assert sorted(left, key=json.dumps) == sorted(rows, key=json.dumps), name


async def test_what_is_stored_is_served(stored: Stored) -> None:
    async with stored.served() as (_, callers):
        for name, sent in stored.answers.items():
            caller = callers["museum" if name == "closed" else name]
            if name == "closed":  # somebody has asked 0.1 to delete what it quotes
                assert (await caller.get(f"/v1/answers/{sent['id']}")).status_code == 404
                continue
            reply = await caller.get(f"/v1/answers/{sent['id']}")
            assert reply.status_code == 200, reply.text
            assert all(each["bearing"] is not None for each in sent["claims"])
            claims = [{**each, "relevance": each["bearing"]} for each in sent["claims"]]
            since = {"p_right": None, "doubtful": False}  # 0.1 did not estimate it
            assert reply.json() == {**sent, **since, "claims": claims}
            TypeAdapter(Answer).validate_python(reply.json())

        museum, reader, harbour = (callers[each] for each in ("museum", "reader", "harbour"))
        path = f"/v1/answers/{stored.answers['museum']['id']}"
        assert (await harbour.get(path)).status_code == 404
        assert (await reader.get(path)).status_code == 404  # its asker saw every document
        assert (await museum.get("/v1/collections")).json() == {"collections": ["staff"]}
        listed = (await museum.get(DOCUMENTS)).json()["documents"]
        assert {each["id"]: (each["status"], each["labels"]) for each in listed} == {
            "closed": ("deleting", []),
            "ferry": ("ready", []),
            "lighthouse": ("ready", []),
            "museum": ("pending", []),
            "wages": ("ready", ["hr"]),
        }
        fitted = (await museum.get(GUARANTEE)).json()["guarantee"]
        assert (fitted["alpha"], fitted["fitted_on"]["labels"]) == (0.5, 72)
        assert "upheld 0.1.0" in fitted["pipeline"]
        # Two versions do not compare requests: a repeat is refused, not carried out twice.
        again = {"question": QUESTION, "collection": "staff"}
        refused = await museum.post("/v1/answers", json=again, headers={"Idempotency-Key": "once"})
        assert (refused.status_code, refused.json()["code"]) == (409, "conflict")


async def test_work_goes_on_where_0_1_stopped(stored: Stored) -> None:
    async with stored.served() as (app, callers):
        museum, harbour = callers["museum"], callers["harbour"]
        waiting = {each["task"] for each in await jobs(museum, "todo")}
        assert waiting == {"ingest", "delete"}
        assert {each["task"] for each in await jobs(harbour, "todo")} == {"calibrate"}
        await work_off(app, stored.state)
        assert await jobs(museum, "todo", "failed") == await jobs(harbour, "todo", "failed") == []
        listed = (await museum.get(DOCUMENTS)).json()["documents"]
        assert {each["id"] for each in listed} == {"ferry", "lighthouse", "museum", "wages"}
        assert {each["status"] for each in listed} == {"ready"}
        assert (await harbour.get(GUARANTEE)).json()["guarantee"]["fitted_on"]["labels"] == 72

        for caller, question, text in (
            (museum, "How many letters does the museum show?", "340 letters"),
            (museum, QUESTION, "at nine"),
            (harbour, QUESTION, "at seven"),
            (callers["reader"], "How many crowns does the keeper earn?", "90 crowns"),
        ):
            answer = (await ask(caller, question)).json()
            assert text in answer["text"]
            assert answer["claims"][0]["relevance"] == answer["claims"][0]["bearing"]
            [degraded] = answer["degraded"]
            assert "no guarantee" in degraded
            assert "another pipeline" in degraded

        # What is deleted takes stored answers with it, also those of 0.1.
        assert (await museum.delete(f"{DOCUMENTS}/ferry")).status_code == 202
        path = f"/v1/answers/{stored.answers['museum']['id']}"
        assert (await museum.get(path)).status_code == 404
    await end_tenant(
        stored.settings.model_copy(update={"database_url": stored.state.owner}), "harbour"
    )
    assert [each["name"] for each in stored.rows()["tenants"]] == ["museum"]


async def jobs(caller: httpx2.AsyncClient, *statuses: str) -> list[Any]:
    listed = (await caller.get("/v1/jobs")).json()["jobs"]
    return [each for each in listed if each["status"] in statuses]
