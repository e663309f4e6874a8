"""A key with labels cannot tell a tenant with hidden documents from one that has none.

Two tenants live the same life, but the second never gets what the first one hides from the key:
what becomes hidden there is deleted here. Whatever the key then asks, both reply alike.
"""

from __future__ import annotations

import re
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

import httpx2
import pytest
from fastapi import FastAPI
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from tests.integration.places import Place
from tests.integration.service.serving import client, new_key, running, service_settings, work_off
from tests.servers.postgres import State
from upheld._internal.loop_thread import LoopThread
from upheld.types import Scope

pytestmark = pytest.mark.real

T = TypeVar("T")
FEW, STEPS = 3, 40
GUIDE = frozenset({"guide"})
PLAIN = {"Content-Type": "text/plain"}
places = st.tuples(st.sampled_from(["staff", "plans"]), st.sampled_from(["rota", "menu", "pay"]))
labels = st.sampled_from([(), ("guide",), ("vault",), ("vault", "guide")])
own_labels = st.sampled_from([(), ("guide",)])
keys = st.none() | st.sampled_from(["one", "two"])
# What is told of an answer beside its words; scores weigh words by the whole collection.
_BY_CHANCE = ("created", "created_at", "updated_at", "asked_at", "changed_at", "trace", "seconds")
_SCORES = ("score", "scores", "probability", "confidence", "relevance")


class Side:
    """One of the two tenants: its owner, the key with labels, and the numbers that it was told."""

    def __init__(self, owner: httpx2.AsyncClient, guide: httpx2.AsyncClient) -> None:
        self.owner, self.guide = owner, guide
        self.jobs: list[int] = []
        self.ids: list[str] = []  # of answers, and of documents that got one

    def alike(self, value: Any, name: str = "") -> Any:
        """Without what differs between any two tenants."""
        if isinstance(value, dict):
            kept = {k: v for k, v in value.items() if k not in (*_BY_CHANCE, *_SCORES)}
            shown = {k: self.alike(v, k) for k, v in kept.items()}
            if "task" in value and "attempts" in value:
                shown["id"] = self._number(self.jobs, value["id"])
            return shown
        if isinstance(value, list):
            each_alike = [self.alike(each) for each in value]
            # Documents come by id, and those that the service chose are random.
            return sorted(each_alike, key=repr) if name == "documents" else each_alike
        if name == "job":
            return self._number(self.jobs, value)
        if isinstance(value, str):
            return re.sub(
                r"[0-9a-f]{32}|[jJ]ob \d+",
                lambda found: f"#{self._number(self.ids, found[0])}",
                value,
            )
        return value

    @staticmethod
    def _number(seen: list[T], value: T) -> int:
        if value not in seen:
            seen.append(value)
        return seen.index(value)


class Twins(RuleBasedStateMachine):
    """An owner changes both as far as it can be seen; what the key does, it does twice."""

    app: FastAPI
    state: State
    loop: LoopThread
    told: list[int]

    def __init__(self) -> None:
        super().__init__()
        self.full, self.twin = (self.wait(self.new_side()) for _ in range(2))

    async def new_side(self) -> Side:
        name = f"tenant-{uuid4().hex[:8]}"
        owner = await new_key(self.state, tenant=name)
        guide = await new_key(self.state, tenant=name, labels=sorted(GUIDE))
        return Side(client(self.app, owner), client(self.app, guide))

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run(work)

    def both(self, method: str, path: str, other: str | None = None, **more: Any) -> int:
        """The key's request to both, whose replies are compared; `other` is the twin's path."""
        full = self.wait(self.full.guide.request(method, path, **more))
        twin = self.wait(self.twin.guide.request(method, other or path, **more))
        assert full.status_code == twin.status_code, (method, path, full.text, twin.text)
        assert full.status_code < 500, full.text
        assert self.full.alike(full.json()) == self.twin.alike(twin.json()), (method, path)
        assert {*full.headers} == {*twin.headers}
        self.told.append(full.status_code)
        return full.status_code

    # --- what the owner does ---------------------------------------------------------------------

    @initialize()
    def begin(self) -> None:
        self.owner_puts(("staff", "rota"), ())
        self.owner_puts(("staff", "pay"), ("vault",))
        self.owner_puts(("plans", "menu"), ("vault",))

    @rule(place=places, carries=labels)
    def owner_puts(self, place: tuple[str, str], carries: tuple[str, ...]) -> None:
        path, more = _path(place), _document(place, carries)
        self.wait(self.full.owner.put(path, **more))
        if Scope(place[0], GUIDE).admits(frozenset(carries)):
            self.wait(self.twin.owner.put(path, **more))
        else:
            self.wait(self.twin.owner.delete(path))
        self.work()

    @rule(place=places)
    def owner_hides_and_nobody_works(self, place: tuple[str, str]) -> None:
        """Only if it cannot be seen now: a job waits for a document that the twin does not have."""
        if self.wait(self.full.guide.get(_path(place))).status_code == 404:
            self.wait(self.full.owner.put(_path(place), **_document(place, ("vault",))))

    @rule(place=places)
    def owner_deletes(self, place: tuple[str, str]) -> None:
        for side in (self.full, self.twin):
            self.wait(side.owner.delete(_path(place)))
        self.work()

    @rule()
    def work(self) -> None:
        self.wait(work_off(self.app, self.state))

    # --- what the key with labels does -----------------------------------------------------------

    @rule(place=places, carries=own_labels, key=keys)
    def puts(self, place: tuple[str, str], carries: tuple[str, ...], key: str | None) -> None:
        more = _document(place, carries)
        self.both("PUT", _path(place), **{**more, "headers": PLAIN | _once(key)})

    @rule(place=places, carries=own_labels)
    def adds(self, place: tuple[str, str], carries: tuple[str, ...]) -> None:
        path = _path(place).rpartition("/")[0]
        # No question is about it: documents that fit alike would be quoted by random ids.
        more = _document(place, carries) | {"content": b"Gulls nest on the roof."}
        assert self.both("POST", path, **more) == 202

    @rule(place=places, key=keys)
    def deletes(self, place: tuple[str, str], key: str | None) -> None:
        self.both("DELETE", _path(place), headers=_once(key))

    @rule(collection=st.sampled_from(["staff", "plans"]))
    def ends_a_collection(self, collection: str) -> None:
        self.both("DELETE", f"/v1/collections/{collection}")

    @rule(place=places, key=keys)
    def asks(self, place: tuple[str, str], key: str | None) -> None:
        body = {"question": f"What is the code of the {place[1]}?", "collection": place[0]}
        self.both("POST", "/v1/answers", json=body, headers=_once(key))

    @rule(place=places)
    def chats(self, place: tuple[str, str]) -> None:
        turn = {"role": "user", "content": f"What is the code of the {place[1]}?"}
        body = {"model": f"rag@{place[0]}", "messages": [turn]}
        self.both("POST", "/v1/chat/completions", json=body)

    @rule(place=places)
    def looks(self, place: tuple[str, str]) -> None:
        collection = f"/v1/collections/{place[0]}"
        for path in (
            "/v1/collections",
            "/v1/jobs",
            "/v1/models",
            f"{collection}/documents",
            f"{collection}/guarantee",
            _path(place),
            f"{_path(place)}/text",
            f"{_path(place)}/pages",
            f"{_path(place)}/passages",
            "/v1/answers",
            f"{collection}/reviews",
            f"/v1/models/rag@{place[0]}",
        ):
            self.both("GET", path)

    @rule(number=st.integers(0, 5), method=st.sampled_from(["GET", "DELETE"]))
    def looks_at_a_job(self, number: int, method: str) -> None:
        if number < len(self.full.jobs):
            self.both(
                method, f"/v1/jobs/{self.full.jobs[number]}", f"/v1/jobs/{self.twin.jobs[number]}"
            )

    @rule(number=st.integers(0, 9))
    def looks_at_an_answer(self, number: int) -> None:
        if number < len(self.full.ids):
            full, twin = self.full.ids[number], self.twin.ids[number]
            self.both("GET", f"/v1/answers/{full}", f"/v1/answers/{twin}")

    def teardown(self) -> None:
        self.work()
        self.looks(("staff", "rota"))
        self.looks(("plans", "menu"))
        for side in (self.full, self.twin):
            for each in (side.owner, side.guide):
                self.wait(each.aclose())


def _path(place: tuple[str, str]) -> str:
    return f"/v1/collections/{place[0]}/documents/{place[1]}"


def _document(place: tuple[str, str], carries: tuple[str, ...]) -> dict[str, Any]:
    text = f"The code of the {place[1]} is {'Heliotrope' if 'vault' in carries else 'Amaranth'}."
    return {"content": text.encode(), "headers": PLAIN, "params": {"label": list(carries)}}


def _once(key: str | None) -> dict[str, str]:
    return {} if key is None else {"Idempotency-Key": key}


@pytest.mark.parametrize(
    "runs",
    [
        pytest.param(FEW, id="few"),
        pytest.param(60, id="many", marks=[pytest.mark.campaign, pytest.mark.timeout(7200)]),
    ],
)
def test_a_key_cannot_tell_hidden_from_absent(own_state: State, tmp_path: Path, runs: int) -> None:
    loop = LoopThread()
    life = running(service_settings(own_state, Place(str(tmp_path))))
    app = loop.run(life.__aenter__())
    told: list[int] = []
    shared = {"app": app, "state": own_state, "loop": loop, "told": told}
    try:
        run_state_machine_as_test(
            type("OurTwins", (Twins,), shared),
            settings=settings(
                max_examples=runs,
                stateful_step_count=STEPS,
                deadline=None,
                derandomize=runs == FEW,  # CI does the same each time
                phases=[Phase.generate],  # a failure is told at once, with its steps
                suppress_health_check=list(HealthCheck),
                database=None,
            ),
        )
        # Both what is there and what is not was asked for.
        assert {200, 202, 404} <= set(told)
    finally:
        loop.run(life.__aexit__(None, None, None))
        loop.stop()
