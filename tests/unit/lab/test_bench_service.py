"""The service bench: its arithmetic, its language model, and what it reads of processes."""

from __future__ import annotations

import asyncio
import json
import math
import os
import subprocess
import sys
from typing import Any

import httpx2
import pytest
from typer.testing import CliRunner

from upheld_lab.bench.service import model
from upheld_lab.bench.service.figures import (
    BARS,
    Bar,
    Replied,
    added_ratio,
    goodput,
    judged,
    median_ratio,
    percentile,
    reject_p95,
    unexpected,
)
from upheld_lab.bench.service.first_sentence import streamed
from upheld_lab.bench.service.latency import PATH, one_sentence
from upheld_lab.bench.service.load import Plan, carry_out, loaded
from upheld_lab.bench.service.usage import cpu_seconds, family, resident_bytes
from upheld_lab.bench.verify.made_answers import AnswerWriter
from upheld_lab.cli.bench import app


def test_a_percentile_is_a_value_that_so_many_do_not_pass() -> None:
    values = [float(number) for number in range(1, 101)]
    assert percentile(values, 0.95) == 95
    assert percentile(values, 0.5) == 50
    assert percentile([3.0, 1.0, 2.0], 0.95) == 3
    assert percentile([7.0], 0.5) == 7


def test_the_five_milliseconds_are_taken_off_before_the_ratio() -> None:
    assert added_ratio(0.105, 0.08) == pytest.approx(1.25)
    assert BARS["verify_added_p50_ratio"].holds(added_ratio(0.1049, 0.08))
    assert not BARS["verify_added_p50_ratio"].holds(added_ratio(0.1051, 0.08))


def test_goodput_counts_good_replies_in_the_window_alone() -> None:
    replies = [Replied(200, 0.1, at / 10) for at in range(100)]  # ten a second
    replies += [Replied(429, 0.01, at / 10) for at in range(100)]
    assert goodput(replies, 2.0, 10.0) == pytest.approx(10)
    assert goodput(replies, 10.0, 12.0) == 0


def test_rejects_are_timed_and_others_counted() -> None:
    replies = [Replied(429, number / 1_000, 0.0) for number in range(1, 21)]
    replies += [Replied(200, 9.0, 0.0), Replied(503, 9.0, 0.0)]
    assert reject_p95(replies) == pytest.approx(0.019)
    assert unexpected(replies) == 1
    assert math.isinf(reject_p95([Replied(200, 0.1, 0.0)]))


def test_a_ratio_is_of_medians() -> None:
    assert median_ratio([1.0, 2.0, 100.0], [3.0, 3.0, 3.0]) == 1.5


@pytest.mark.parametrize(
    ("bar", "value", "holds"),
    [(Bar(1.1), 1.1, True), (Bar(1.1), 1.11, False), (Bar(0.9, at_least=True), 0.89, False)],
)
def test_a_bar_holds_up_to_its_limit(bar: Bar, value: float, holds: bool) -> None:
    assert bar.holds(value) is holds


def test_every_number_is_told_beside_its_limit() -> None:
    rows = judged(dict.fromkeys(BARS, 0.95))
    assert [row["bar"] for row in rows] == list(BARS)
    told = {row["bar"]: (row["needs"], row["holds"]) for row in rows}
    assert told["overload_goodput"] == ("≥ 0.9", True)
    assert told["memory_growth"] == ("≤ 0.05", False)


def test_the_path_of_an_answer_is_one_call() -> None:
    assert pytest.approx(0.2) == PATH


def test_the_smallest_check_is_one_sentence_with_its_source() -> None:
    body = one_sentence(AnswerWriter(1).answer())
    assert body["answer"].endswith(". [1]")
    assert body["answer"].count(".") == 1
    assert len(body["sources"]) == 1


def test_the_model_quotes_the_first_passage_that_it_is_shown() -> None:
    shown = "[1]\n```\nThe mill\nIt was built in 1850 by Agnes.\n```\n\n[2]\n```\nNo more.\n```"
    asked = {"model": "m", "messages": [{"role": "user", "content": f"{shown}\n\nQuestion: Who?"}]}
    (choice,) = model.completion(asked)["choices"]
    said: dict[str, Any] = json.loads(choice["message"]["content"])
    assert said == {"claims": [{"sources": [1], "text": "It was built in 1850 by Agnes."}]}
    nothing = model.completion({"model": "m", "messages": []})["choices"][0]["message"]["content"]
    assert json.loads(nothing) == {"claims": []}


async def test_a_streamed_reply_is_the_whole_one_at_its_pace() -> None:
    said = "It was built in 1850 by Agnes. It is a museum of clocks now."
    asked = {
        "model": "m",
        "messages": [{"role": "user", "content": f"[1]\n```\n{said}\n```"}],
        "stream": True,
    }
    began = asyncio.get_running_loop().time()
    events = [each async for each in model.streamed(asked, 2, 500.0)]
    *tokens, end = [json.loads(each.split("\n\n")[0].removeprefix("data: ")) for each in events]
    assert asyncio.get_running_loop().time() - began >= len(tokens) / 500
    text = "".join(each["choices"][0]["delta"]["content"] for each in tokens)
    assert text == model.written(asked, 2)
    assert [each["text"] for each in json.loads(text)["claims"]] == [
        "It was built in 1850 by Agnes.",
        "It is a museum of clocks now.",
    ]
    assert end["choices"][0]["finish_reason"] == "stop"


async def test_a_stream_is_timed_by_its_first_claim_and_its_end() -> None:
    told: list[tuple[str, dict[str, Any]]] = [
        ("stage", {}),
        ("claim", {}),
        ("claim", {}),
        ("claim_revised", {}),
    ]
    told += [("final", {"claims": [{}, {}]})]
    body = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in told)

    def reply(request: httpx2.Request) -> httpx2.Response:
        assert json.loads(request.content)["stream"] is True
        return httpx2.Response(200, text=body)

    async with httpx2.AsyncClient(
        transport=httpx2.MockTransport(reply), base_url="http://service"
    ) as client:
        seen = await streamed(client, "Who built it?", "rag")
    assert (seen.claims, seen.revised) == (2, 1)
    assert 0 < seen.share <= 1


async def _counting(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while head := await reader.readuntil(b"\r\n\r\n"):
        length = head.lower().partition(b"content-length: ")[2].partition(b"\r")[0]
        body = json.loads(await reader.readexactly(int(length)))
        writer.write(b"HTTP/1.1 %d X\r\ncontent-length: 0\r\n\r\n" % body)


async def test_callers_share_the_count_and_take_requests_in_turn() -> None:
    async with await asyncio.start_server(_quietly, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        requests = [("/a", 200), ("/b", 429)]
        replies = await carry_out(Plan(url=url, key="k", requests=requests, callers=3, count=10))
        assert sorted(each.status for each in replies) == [200] * 5 + [429] * 5
        open_loop = Plan(url=url, key="k", requests=requests, per_second=50, seconds=0.4)
        replies = await loaded(open_loop)  # in a process of its own
        assert len(replies) == 20
        assert max(each.at for each in replies) > 0.35


async def _quietly(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        await _counting(reader, writer)
    except asyncio.IncompleteReadError:
        pass  # the client has gone
    finally:
        writer.close()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_family_is_a_process_and_what_it_started() -> None:
    begun = [sys.executable, "-c", "print(flush=True); input()"]
    pipe = subprocess.PIPE
    with subprocess.Popen(begun, stdin=pipe, stdout=pipe) as child:
        assert child.stdout is not None
        child.stdout.readline()  # before that it may not be Python yet
        assert {os.getpid(), child.pid} <= set(family(os.getpid()))
        assert family(child.pid) == [child.pid]
        assert resident_bytes([child.pid]) > 1_000_000
        assert resident_bytes([child.pid, child.pid]) >= 2 * 1_000_000
        child.communicate(b"\n")
    before = cpu_seconds(os.getpid())
    while cpu_seconds(os.getpid()) - before < 0.05:
        sum(range(10_000))


def test_the_bench_explains_itself_with_an_example() -> None:
    shown = CliRunner().invoke(app, ["service", "--help"], env={"COLUMNS": "200"})
    assert "upheld bench service --json" in shown.output
