"""`upheld bench run`, killed as the n-th call arrives and run again: the command itself, on HTTP.

The model answers by the request alone, so that a run that was never cut tells what must come out.
Words only: local models would make this slower, not harder.
"""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.servers.scripted_model import content, reply
from tests.servers.unruly import Request, Response, unruly
from upheld_lab.bench.runs.records import Scores
from upheld_lab.bench.runs.store import RunFolder

SOME = "cov_rag,coq,fave"
ALL = (
    "rag,crag,cov_rag,a2r,coq,uoq,fave,upheld,cov_rag:rounds=3,a2r:preset=paper,"
    "coq:selector=r_d,fave:best_of=4,fave:select=r_d+short=true"
)


@dataclass
class Served:
    """A model that counts what it is asked, and ends whoever asks for the n-th time."""

    ends_at: int | None = None
    how: signal.Signals = signal.SIGKILL
    asked: Counter[str] = field(default_factory=Counter)
    process: asyncio.subprocess.Process | None = None

    def __call__(self, request: Request) -> Response:
        self.asked[content(request)] += 1
        if self.asked.total() == self.ends_at and self.process is not None:
            self.process.send_signal(self.how)
        return reply(request)


async def run(server: str, served: Served, out: Path, *options: str) -> int:
    """The command as a process of its own; its exit code."""
    served.process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "upheld", "bench", "run", "--suite", "tiny"),
        *("--llm", server, "--model", "m", "--cache", str(out.parent / "cache")),
        *("--out", str(out), *options),
        # One call under way at a time: a kill can cost that one, and no other.
        env={**os.environ, "UPHELD_LOCAL_MODELS": "false", "UPHELD_LLM_CONCURRENCY": "1"},
        cwd=out.parent,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=interruptible,
    )
    return await served.process.wait()


def interruptible() -> None:
    """Tests that run in the background of a shell have been told to ignore interrupts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def scores_of(out: Path) -> dict[tuple[str, str], Scores]:
    """Without seconds, which nobody can repeat; each question and variant is there once."""
    scored = RunFolder(out).scored()
    table = {(each.question, each.variant): {**each.scores, "seconds": None} for each in scored}
    assert len(table) == len(scored) == len(RunFolder(out).outcomes())
    return table


def answers_of(out: Path) -> dict[tuple[str, str], str]:
    return {(each.question, each.variant): str(each.answer) for each in RunFolder(out).outcomes()}


async def killed_and_whole(folder: Path, kills: int, *options: str) -> None:
    whole, cut = folder / "whole", folder / "cut"
    once, again = Served(), Served()
    async with unruly(once) as server:
        assert await run(server.url, once, whole, *options) == 0
    calls = once.asked.total()
    # The same server for all sittings: another address would be another model.
    async with unruly(again) as server:
        for kill in range(kills):
            # Spread over the run, and each at another place in a question.
            again.ends_at = calls * (2 * kill + 1) // (2 * kills) + kill
            assert await run(server.url, again, cut, *options) == -signal.SIGKILL
        again.ends_at = None
        assert await run(server.url, again, cut, *options) == 0
    assert scores_of(cut) == scores_of(whole)
    assert answers_of(cut) == answers_of(whole)
    assert len(RunFolder(cut).manifest()["resumed"]) == kills
    repeated = again.asked - once.asked
    assert once.asked - again.asked == Counter()
    assert repeated.total() == kills  # those that were under way
    assert repeated.total() <= calls / 100


@pytest.mark.campaign
@pytest.mark.timeout(600)
async def test_a_run_that_is_killed_ends_as_one_that_is_not(tmp_path: Path) -> None:
    await killed_and_whole(tmp_path, 3, "--methods", SOME, "--limit", "3")


@pytest.mark.campaign
@pytest.mark.timeout(1800)
async def test_killed_ten_times_with_every_method(tmp_path: Path) -> None:
    await killed_and_whole(tmp_path, 10, "--methods", ALL)


async def test_workers_make_the_run_of_one_process(tmp_path: Path) -> None:
    options = ("--methods", "rag,cov_rag", "--limit", "1")
    served = Served()
    async with unruly(served) as server:
        assert await run(server.url, served, tmp_path / "one", *options) == 0
        once = Counter(served.asked)
        assert await run(server.url, served, tmp_path / "many", *options, "--on", "local:2") == 0
        assert served.asked == once + once
    assert scores_of(tmp_path / "one") == scores_of(tmp_path / "many")
    assert answers_of(tmp_path / "one") == answers_of(tmp_path / "many")


async def test_who_interrupts_a_run_is_told_how_it_goes_on(tmp_path: Path) -> None:
    served = Served(ends_at=9, how=signal.SIGINT)
    options = ("--methods", "rag,cov_rag", "--limit", "1")
    async with unruly(served) as server:
        assert await run(server.url, served, tmp_path / "run", *options) == 130
        assert 0 < len(RunFolder(tmp_path / "run").outcomes()) < 14
        assert await run(server.url, served, tmp_path / "run", *options) == 0
    assert len(scores_of(tmp_path / "run")) == 14


def spent_by_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.alone
def test_the_tiny_suite_takes_less_than_a_minute_with_the_shipped_models(tmp_path: Path) -> None:
    out = tmp_path / "run"
    command: Sequence[str] = (
        *(sys.executable, "-m", "upheld", "bench", "run", "--suite", "tiny", "--writer", "quote"),
        *("--cache", str(tmp_path / "cache"), "--out", str(out)),
    )
    began, before = time.monotonic(), spent_by_children()
    subprocess.run(command, check=True, cwd=tmp_path, capture_output=True)
    # By the clock; or beside other work, where the clock tells nothing, of the processor.
    assert min(time.monotonic() - began, spent_by_children() - before) < 60
    folder = RunFolder(out)
    assert {each.variant for each in folder.outcomes()} == {"rag", "crag", "upheld"}
    assert len(folder.scored()) == 3 * len(folder.questions())
    assert folder.manifest()["models"]["verifier"].startswith("upheld-verifier")
    # The suite asks what its passages say: a run that finds next to nothing is broken.
    right = [each.scores["correct"] for each in folder.scored() if each.variant == "rag"]
    told = [value for value in right if value is not None]
    assert sum(told) / len(told) > 0.5
