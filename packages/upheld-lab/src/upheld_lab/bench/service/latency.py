"""How much later a reply comes over HTTP than the same call returns without it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import httpx2

from upheld.check import check
from upheld.errors import UpheldError
from upheld.run.budget import Budget
from upheld.verification.verify import Verify
from upheld_lab.bench.costs.method_speed import BUSY
from upheld_lab.bench.costs.paths import PATHS, critical_path
from upheld_lab.bench.costs.scripted_ports import Latency
from upheld_lab.bench.costs.speed import Compared, interleaved, retried
from upheld_lab.bench.report import Row, Watch
from upheld_lab.bench.service.figures import added_ratio
from upheld_lab.bench.service.servers import House, Served
from upheld_lab.bench.verify.made_answers import MadeAnswer

LLM_SECONDS = 0.2
# Only the language model is on the path. Its small models are switched off, and the search, two
# transactions and HTTP are what the service may add.
PATH = sum(critical_path(PATHS["rag: one answer"], Latency(llm=LLM_SECONDS)))
BUDGET = Budget(seconds=120)  # as the service gives, so that both sides keep a deadline


@dataclass(frozen=True, slots=True)
class Checking:
    """A kind of answer to check, in several wordings."""

    what: str
    bodies: Sequence[dict[str, Any]]
    rounds: int


def one_sentence(answer: MadeAnswer) -> dict[str, Any]:
    """The smallest check: what HTTP adds weighs most."""
    first = answer.text[: answer.text.index("]") + 1]
    return {"answer": first, "sources": [answer.passages[0].text]}


def whole(answer: MadeAnswer) -> dict[str, Any]:
    """A usual check."""
    return {"answer": answer.text, "sources": [passage.text for passage in answer.passages]}


async def bench_verify(
    served: Served,
    house: House,
    verify: Verify,
    answers: Sequence[MadeAnswer],
    rounds: int,
    watch: Watch,
) -> list[Row]:
    """`/v1/verify` against `check`, by turns, with models of the same files."""
    rows: list[Row] = []
    async with served.client(house) as client:
        for kind in (
            Checking("one sentence, one source", [*map(one_sentence, answers)], rounds),
            Checking("six sentences, five sources", [*map(whole, answers)], max(rounds // 3, 1)),
        ):
            found, attempts = await retried(partial(_checked, client, verify, kind, watch))
            rows.append(
                {
                    "verify": kind.what,
                    "http p50, ms": found.ours * 1_000,
                    "in process p50, ms": found.bare * 1_000,
                    "(http - 5 ms) / in process": added_ratio(found.ours, found.bare),
                    "control": found.control,
                    "attempts": attempts,
                    "void": found.is_void,
                }
            )
    return rows


async def _checked(
    client: httpx2.AsyncClient, verify: Verify, kind: Checking, watch: Watch
) -> Compared:
    async def over_http(number: int) -> None:
        body = kind.bodies[number % len(kind.bodies)]
        await _posted(client, "/v1/verify", body)

    async def in_process(number: int) -> None:
        body = kind.bodies[number % len(kind.bodies)]
        await check(verify, body["answer"], body["sources"], budget=BUDGET)

    await over_http(0)  # models are opened by the first
    await in_process(0)
    return await interleaved(
        over_http,
        in_process,
        kind.rounds,
        lambda done: watch(f"verify: {kind.what}", done, kind.rounds),
    )


async def bench_answers(
    served: Served,
    house: House,
    model: str,
    questions: Sequence[dict[str, Any]],
    rounds: int,
    watch: Watch,
) -> Row:
    """`/v1/answers` over its path; the control is the same model, asked without us."""
    alone = {"model": "scripted", "messages": [{"role": "user", "content": "Nothing."}]}
    async with served.client(house) as client, httpx2.AsyncClient(timeout=60) as direct:

        async def answered(number: int) -> None:
            body = await _posted(client, "/v1/answers", questions[number % len(questions)])
            if body["status"] != "answered":
                raise UpheldError(f"The service gave no whole answer: {body['degraded']}")

        async def bare(_: int) -> None:
            await _posted(direct, f"{model}/chat/completions", alone)

        for number in range(3):
            await answered(number)
            await bare(number)
        found = await interleaved(
            answered, bare, rounds, lambda done: watch("answers", done, rounds)
        )
    return {
        "answers": "rag, one call of 200 ms",
        "path, ms": PATH * 1_000,
        "http p50, ms": found.ours * 1_000,
        "over path": found.ours / PATH,
        "model alone over path": found.bare / PATH,
        "void": found.bare / PATH > BUSY,
    }


async def _posted(client: httpx2.AsyncClient, path: str, body: Any) -> dict[str, Any]:
    reply: dict[str, Any] = (await client.post(path, json=body)).raise_for_status().json()
    return reply
