"""Requests by lot from the OpenAPI document: no failure of ours, every reply as documented."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis.checks import (
    content_type_conformance,
    not_a_server_error,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from schemathesis.core.result import Ok

from tests.integration.places import Place
from tests.integration.service.listening import listening, remote
from tests.integration.service.serving import give, new_key, service_settings, work_off
from tests.servers.postgres import State
from upheld._internal.loop_thread import LoopThread

pytestmark = pytest.mark.real
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
QUIET = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]


@pytest.fixture
def service(own_state: State, tmp_path: Path) -> Iterator[tuple[str, str]]:
    """The address of a service with one document, and a key that may do everything."""
    loop, stack = LoopThread(), AsyncExitStack()

    async def start() -> tuple[str, str]:
        key = await new_key(own_state)
        settings = service_settings(own_state, Place(str(tmp_path)))
        app, url = await stack.enter_async_context(listening(settings))
        async with remote(url, key) as caller:
            await give(caller, "rota", "The lighthouse opens at nine.")
        await work_off(app, own_state)
        return url, key.get_secret_value()

    try:
        yield loop.run(start())
    finally:
        loop.run(stack.aclose())
        loop.stop()


@pytest.mark.parametrize(
    "cases", [250, pytest.param(5000, marks=[pytest.mark.campaign, pytest.mark.timeout(3600)])]
)
def test_every_reply_is_as_documented(service: tuple[str, str], cases: int) -> None:
    url, key = service
    document = requests.get(f"{url}/openapi.json", timeout=60).json()
    schema = schemathesis.openapi.from_dict(document)
    schema.config.update(base_url=url)
    found = list(schema.get_all_operations())
    operations = [each.ok() for each in found if isinstance(each, Ok)]
    assert len(operations) == len(found)
    seen: Counter[int] = Counter()
    with requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {key}"
        for operation in operations:
            for mode in (
                schemathesis.GenerationMode.POSITIVE,
                schemathesis.GenerationMode.NEGATIVE,
            ):
                # More than their share: some routes have few different requests.
                _try(operation, mode, session, cases * 13 // (20 * len(operations)), seen)
    assert seen.total() >= cases
    assert {200, 202, 400, 401, 404, 409, 422} <= set(seen)


def _try(
    operation: Any,
    mode: schemathesis.GenerationMode,
    session: requests.Session,
    cases: int,
    seen: Counter[int],
) -> None:
    @seed(7)
    @settings(max_examples=cases, deadline=None, database=None, suppress_health_check=QUIET)
    @given(operation.as_strategy(generation_mode=mode), st.booleans())
    def check(case: schemathesis.Case[Any], known: bool) -> None:
        if known:
            _ask_what_is_there(case)
        response = case.call(session=session, timeout=60)
        seen[response.status_code] += 1
        case.validate_response(response, checks=CHECKS)

    with suppress(Unsatisfiable):  # where nothing can be given, nothing can be wrong
        check()


def _ask_what_is_there(case: schemathesis.Case[Any]) -> None:
    """Names by lot name nothing: half of the cases get past the first look-up."""
    if case.method != "DELETE":
        case.path_parameters |= {
            name: value
            for name, value in {"collection": "staff", "id": "rota"}.items()
            if name in case.path_parameters and "collection" in case.path_parameters
        }
    if isinstance(case.body, dict):
        known = {"collection": "staff", "model": "rag@staff"}
        case.body |= {name: value for name, value in known.items() if name in case.body}
        if "question" in case.body and case.path == "/v1/answers":
            case.body["collection"] = "staff"
            case.body.pop("method", None)
