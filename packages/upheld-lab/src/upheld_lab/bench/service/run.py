"""`upheld bench service`: one run of every figure, on servers that it starts and stops itself."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from upheld.check import opened_verify
from upheld.errors import UsageError
from upheld.settings import load_settings
from upheld.types import Passage
from upheld_lab.bench.manifest import manifest
from upheld_lab.bench.report import Report, Row, Watch
from upheld_lab.bench.service.figures import BARS, judged
from upheld_lab.bench.service.first_sentence import (
    CLAIMS,
    TOKENS_PER_SECOND,
    bench_first_sentence,
)
from upheld_lab.bench.service.latency import LLM_SECONDS, bench_answers, bench_verify, one_sentence
from upheld_lab.bench.service.pressure import (
    AT_ONCE,
    WAITING,
    Requests,
    bench_memory,
    bench_overload,
    bench_processor,
)
from upheld_lab.bench.service.processes import bench_processes
from upheld_lab.bench.service.servers import House, fill, scripted_model, serving
from upheld_lab.bench.service.usage import PROC
from upheld_lab.bench.verify.made_answers import AnswerWriter, MadeAnswer
from upheld_service.db.dev_postgres import PrivatePostgres, private_postgres

Figures = tuple[dict[str, float], list[Row]]


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much work; small numbers are for trying the bench itself."""

    requests: int = 5_000  # while memory is watched
    rounds: int = 60  # of latencies
    load_seconds: float = 15.0
    load_rounds: int = 3
    processor_requests: int = 160
    processor_rounds: int = 5
    documents: int = 60  # of which two thirds have answers long enough to be timed
    streams: int = 20  # answers of each method whose first sentence is timed


QUICK = Sizes(
    rounds=1,
    load_seconds=3.0,
    load_rounds=1,
    processor_requests=24,
    processor_rounds=1,
    documents=6,
    streams=2,
)


async def bench_service(sizes: Sizes, seed: int, watch: Watch) -> Report:
    """Latency over the library, over the path, overload, processor and memory."""
    if not PROC.exists():
        raise UsageError("The service bench reads what processes use from /proc, as Linux has it.")
    writer = AnswerWriter(seed)
    answers = [writer.answer() for _ in range(sizes.documents)]
    with _postgres() as (postgres, folder):
        waiting = await _with_a_slow_model(
            await House.new(postgres, folder, "slow"), answers, sizes, watch
        )
        working = await _with_small_models(
            await House.new(postgres, folder, "full"), answers, sizes, watch
        )
        writing = await _with_a_writing_model(
            await House.new(postgres, folder, "stream"), answers, sizes, watch
        )
    measured = working[0] | waiting[0] | writing[0]
    found = {name: measured[name] for name in BARS}
    rows = (*working[1], *waiting[1], *writing[1])
    facts = manifest(sizes=asdict(sizes), seed=seed, llm_seconds=LLM_SECONDS)
    return Report("service", found, (*judged(found), *rows), facts)


async def _with_a_slow_model(
    house: House, answers: list[MadeAnswer], sizes: Sizes, watch: Watch
) -> Figures:
    """What waits for a language model: no small model takes part of its path."""
    async with (
        scripted_model(LLM_SECONDS) as model,
        serving(
            house,
            llm_url=model,
            local_models="false",
            tenant_at_once=str(AT_ONCE),
            tenant_waiting=str(WAITING),
        ) as served,
    ):
        await fill(served, house, _documents(answers))
        asked = [*map(_question, answers)]
        over_path = await bench_answers(served, house, model, asked, sizes.rounds, watch)
        load: Requests = [("/v1/answers", each) for each in asked]
        bars, rows = await bench_overload(
            served, house, load, sizes.load_seconds, sizes.load_rounds, watch
        )
        rows += await bench_processes(house, model, load, sizes.load_seconds, watch)
    return {"answers_over_path": over_path["over path"], **bars}, [over_path, *rows]


async def _with_small_models(
    house: House, answers: list[MadeAnswer], sizes: Sizes, watch: Watch
) -> Figures:
    """What works: search by words and meaning, rerank, write, verify, keep; and `/v1/verify`."""
    async with scripted_model(0.0) as model, serving(house, llm_url=model) as one:
        await fill(one, house, _documents(answers))
        async with opened_verify(load_settings()) as verify:
            checks = await bench_verify(one, house, verify, answers, sizes.rounds, watch)
        load = _mixed(answers)
        async with serving(house, processes=2, llm_url=model) as two:
            processor, spent = await bench_processor(
                one, two, house, load, sizes.processor_requests, sizes.processor_rounds, watch
            )
        growth, grown = await bench_memory(one, house, load, sizes.requests, watch)
    bars = {
        "verify_added_p50_ratio": max(each["(http - 5 ms) / in process"] for each in checks),
        "cpu_per_request_ratio": processor,
        "memory_growth": growth,
    }
    return bars, [*checks, *spent, *grown]


async def _with_a_writing_model(
    house: House, answers: list[MadeAnswer], sizes: Sizes, watch: Watch
) -> Figures:
    """How soon the first verified sentence is sent, of an answer that takes seconds to write."""
    async with (
        scripted_model(0.0, CLAIMS, TOKENS_PER_SECOND) as model,
        serving(house, llm_url=model) as served,
    ):
        await fill(served, house, _documents(answers))
        asked = [_question(each)["question"] for each in answers]
        return await bench_first_sentence(served, house, asked, sizes.streams, watch)


def _documents(answers: list[MadeAnswer]) -> list[tuple[str, Passage]]:
    """One passage of each answer."""
    return [(f"made-{number}", each.passages[0]) for number, each in enumerate(answers)]


def _question(answer: MadeAnswer) -> dict[str, Any]:
    # Ordering candidates is the grader's work alone, and would drown what the service does.
    about = answer.passages[0].title.lower()
    return {"question": f"Who built {about}?", "method": "rag", "parameters": {"rerank": False}}


def _mixed(answers: list[MadeAnswer]) -> Requests:
    """A question, then a check, and so on."""
    each = [(("/v1/answers", _question(a)), ("/v1/verify", one_sentence(a))) for a in answers]
    return [request for both in each for request in both]


@contextmanager
def _postgres() -> Iterator[tuple[PrivatePostgres, Path]]:
    """A server whose data is thrown away, but which waits for the disk as any other."""
    with tempfile.TemporaryDirectory(prefix="upheld-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # the server's own user must get through to its data
        with private_postgres(folder / "postgres") as postgres:
            yield postgres, folder
