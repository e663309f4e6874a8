"""Random requests of three tenants over HTTP, with jobs between: nobody reads what others wrote.

Every text that is given holds a word that stands nowhere else. Whatever a reply is - an answer, a
stream, a trace, a job, an error - it must hold no such word of another tenant, nor of a document
whose labels the key does not have.
"""

from __future__ import annotations

from collections.abc import Coroutine, Iterable
from dataclasses import dataclass
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

STEPS = 50
FEW = 200  # requests in the gate
T = TypeVar("T")
DOCUMENTS = "/v1/collections/staff/documents"
VIEWS = (None, frozenset({"hr"}), frozenset({"it", "hr"}))
# Few names, so that tenants meet: everybody guesses everybody's ids.
who = st.integers(0, 2)
view = st.sampled_from(VIEWS)
ids = st.sampled_from(["rota", "menu", "pay"])
label_sets = st.frozensets(st.sampled_from(["hr", "it"]))
methods = st.sampled_from(["rag", "crag", "upheld"])


@dataclass(frozen=True, slots=True)
class Secret:
    """A word, and the document that holds it."""

    word: str
    tenant: int
    document: str


@dataclass(slots=True)
class Count:
    """How many requests there were, and how many replies held words that they may hold."""

    requests: int = 0
    telling: int = 0


class Requests(RuleBasedStateMachine):
    """Each rule is a request; `seen` looks at every reply."""

    app: FastAPI
    state: State
    loop: LoopThread
    count: Count

    def __init__(self) -> None:
        super().__init__()
        self.callers = [self.wait(self.keys_of_a_new_tenant()) for _ in range(3)]
        self.secrets: list[Secret] = []
        self.labels: dict[tuple[int, str], frozenset[str]] = {}
        self.answers = ["none"]
        self.jobs = [0]

    async def keys_of_a_new_tenant(self) -> dict[frozenset[str] | None, httpx2.AsyncClient]:
        name = f"tenant-{uuid4().hex[:8]}"
        keys = [await new_key(self.state, tenant=name, labels=labels) for labels in VIEWS]
        return {labels: client(self.app, key) for labels, key in zip(VIEWS, keys, strict=True)}

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run(work)

    def hidden(self, number: int, labels: frozenset[str] | None) -> Iterable[str]:
        scope = Scope("staff", labels)
        for each in self.secrets:
            given = self.labels[each.tenant, each.document]
            if each.tenant != number or not scope.admits(given):
                yield each.word

    def request(
        self, number: int, labels: frozenset[str] | None, method: str, path: str, **more: Any
    ) -> httpx2.Response:
        reply = self.wait(self.callers[number][labels].request(method, path, **more))
        assert reply.status_code < 500, reply.text
        shown, hidden = f"{reply.headers} {reply.text}", set(self.hidden(number, labels))
        assert not [word for word in hidden if word in shown]
        self.count.requests += 1
        self.count.telling += any(each.word in shown for each in self.secrets)
        return reply

    @rule(number=who, labels=view, id=ids, carries=label_sets)
    def put(
        self, number: int, labels: frozenset[str] | None, id: str, carries: frozenset[str]
    ) -> None:
        word = f"heliotrope{uuid4().hex}"
        reply = self.request(
            number,
            labels,
            "PUT",
            f"{DOCUMENTS}/{id}",
            content=f"The code of the {id} is {word}.".encode(),
            headers={"Content-Type": "text/plain", "Idempotency-Key": uuid4().hex},
            params={"label": sorted(carries)},
        )
        if reply.status_code == 202:
            self.secrets.append(Secret(word, number, id))
            self.labels[number, id] = carries
            self.jobs.append(reply.json()["job"])

    @initialize()
    def begin(self) -> None:
        """Everybody has something to hide from everybody."""
        for number in range(3):
            for id, carries in (("rota", ()), ("menu", ("hr",)), ("pay", ("it",))):
                self.put(number, None, id, frozenset(carries))
        self.work()

    @rule(number=who, labels=view, id=ids)
    def delete(self, number: int, labels: frozenset[str] | None, id: str) -> None:
        self.request(number, labels, "DELETE", f"{DOCUMENTS}/{id}")

    @rule()
    def work(self) -> None:
        self.wait(work_off(self.app, self.state))

    @rule(number=who, labels=view, id=ids, method=methods, stream=st.booleans(), key=ids)
    def ask(
        self,
        number: int,
        labels: frozenset[str] | None,
        id: str,
        method: str,
        stream: bool,
        key: str,
    ) -> None:
        """The same question from everybody, often under the same idempotency key."""
        question = f"What is the code of the {id}?"
        body = {"question": question, "collection": "staff", "method": method, "stream": stream}
        headers = {"Idempotency-Key": f"{key}-{id}-{method}"} if not stream else {}
        reply = self.request(number, labels, "POST", "/v1/answers", json=body, headers=headers)
        if reply.status_code == 200 and not stream:
            self.answers.append(reply.json()["id"])

    @rule(number=who, labels=view, id=ids, stream=st.booleans())
    def chat(self, number: int, labels: frozenset[str] | None, id: str, stream: bool) -> None:
        turn = {"role": "user", "content": f"What is the code of the {id}?"}
        body = {"model": "upheld@staff", "messages": [turn], "stream": stream}
        self.request(number, labels, "POST", "/v1/chat/completions", json=body)

    @rule(number=who, labels=view, data=st.data())
    def guess_an_answer(
        self, number: int, labels: frozenset[str] | None, data: st.DataObject
    ) -> None:
        id = data.draw(st.sampled_from(self.answers[-12:]))
        self.request(number, labels, "GET", f"/v1/answers/{id}")

    @rule(number=who, labels=view, method=st.sampled_from(["GET", "DELETE"]), data=st.data())
    def guess_a_job(
        self, number: int, labels: frozenset[str] | None, method: str, data: st.DataObject
    ) -> None:
        id = data.draw(st.sampled_from(self.jobs[-12:]))
        self.request(number, labels, method, f"/v1/jobs/{id}")

    @rule(
        number=who,
        labels=view,
        path=st.sampled_from(
            [f"{DOCUMENTS}", "/v1/collections", "/v1/jobs", "/v1/models", "/v1/answers"]
            + [
                f"{DOCUMENTS}/{id}{part}"
                for id in ("rota", "menu", "pay")
                for part in ("", "/text", "/original", "/passages")
            ]
        ),
    )
    def look(self, number: int, labels: frozenset[str] | None, path: str) -> None:
        self.request(number, labels, "GET", path)

    def teardown(self) -> None:
        async def close() -> None:
            for callers in self.callers:
                for caller in callers.values():
                    await caller.aclose()

        self.wait(close())


@pytest.mark.parametrize(
    "requests",
    [
        pytest.param(FEW, id="few"),
        pytest.param(10_000, id="many", marks=[pytest.mark.campaign, pytest.mark.timeout(7200)]),
    ],
)
def test_no_reply_holds_words_of_others(own_state: State, tmp_path: Path, requests: int) -> None:
    loop = LoopThread()
    life = running(service_settings(own_state, Place(str(tmp_path)), open_indexes=3))
    app = loop.run(life.__aenter__())
    count = Count()
    shared = {"app": app, "state": own_state, "loop": loop, "count": count}
    machine = type("OurRequests", (Requests,), shared)
    try:
        run_state_machine_as_test(
            machine,
            settings=settings(
                max_examples=requests // STEPS + 2 + requests // 500,  # some steps are no request
                stateful_step_count=STEPS,
                deadline=None,
                derandomize=requests == FEW,  # CI does the same each time
                phases=[Phase.generate],  # a failure is told at once, with its steps
                suppress_health_check=list(HealthCheck),
                database=None,
            ),
        )
        assert count.requests >= requests
        assert count.telling >= requests / 20  # else there was nothing to hide
    finally:
        loop.run(life.__aexit__(None, None, None))
        loop.stop()
