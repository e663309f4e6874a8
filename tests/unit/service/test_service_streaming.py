"""Events on the wire: numbered, kept alive, and ended by an answer or a problem."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from typing import Any

import pytest
from starlette.types import Message

from tests.integration.service.sse import events
from upheld.errors import StorageError
from upheld.types import Event, Evidence, Hit, Passage
from upheld_service.answering import Progress
from upheld_service.routes import replies as streaming
from upheld_service.routes.replies import EVENTS, Items

BODY: dict[str, Any] = {"id": "1", "claims": [{"text": "It opens at nine."}], "text": "…"}


async def sent(
    work: Callable[[Progress], Any],
    visible: streaming.Visible = streaming._none,
    counted: streaming.Counted | None = None,
) -> str:
    items = Items()
    running = asyncio.create_task(streaming._run(work, items, visible, counted))
    return b"".join(
        [each async for each in streaming._encoded(running, items, streaming._event)]
    ).decode()


async def test_stages_come_without_their_notes_and_the_answer_last() -> None:
    async def work(progress: Progress) -> dict[str, Any]:
        assert progress.news is not None
        progress.news("search", Event(1, None, "search", 0, 0.5, note="unverified words"), {})
        progress.news("embed", Event(2, None, "embed", 0, 0.5), {})  # a detail of the search
        return BODY

    text = await sent(work)
    assert "unverified words" not in text
    found = events(text)
    assert [each.name for each in found] == ["search", "claim", "final"]
    assert [each.data["seq"] for each in found] == [1, 2, 3]
    assert found[-1].data == {"seq": 3, **BODY}


async def test_a_claim_is_sent_once_and_a_change_is_said() -> None:
    first, second, third = ({"text": text} for text in ("One.", "Two.", "Three."))

    async def work(progress: Progress) -> dict[str, Any]:
        assert progress.on_claim is not None
        progress.on_claim(first)
        progress.on_claim(second)
        return {"claims": [first, third, second]}

    counted: list[tuple[int, int]] = []
    found = events(await sent(work, counted=lambda *both: counted.append(both)))
    assert [each.name for each in found] == ["claim", "claim", "claim_revised", "claim", "final"]
    assert counted == [(2, 1)]
    assert found[2].data == {"seq": 3, "number": 2, "claim": third}

    async def shorter(progress: Progress) -> dict[str, Any]:
        assert progress.on_claim is not None
        progress.on_claim(first)
        return {"claims": []}

    assert events(await sent(shorter))[1].data == {"seq": 2, "number": 1, "claim": None}


async def test_a_stage_says_what_it_found_of_what_may_be_seen() -> None:
    places = [Passage(id, "Secret words.", id, "v", 0, 13, id.title()) for id in ("a", "b")]
    evidence = Evidence(tuple(Hit(each, 0.5, "q", 0.9) for each in places))

    async def work(progress: Progress) -> dict[str, Any]:
        assert progress.news is not None
        progress.news("action", None, {"action": "correct", "evidence": evidence})
        progress.news("plan", None, {"questions": ["When?"]})
        return {"claims": []}

    async def only_a(_ids: Collection[str]) -> set[str]:
        return {"a"}

    text = await sent(work, only_a)
    grade, plan, _ = events(text)
    assert (grade.name, grade.data["action"]) == ("grade", "correct")
    (passage,) = grade.data["passages"]
    assert (passage["document_id"], passage["relevance"]) == ("a", 0.9)
    assert plan.data == {"seq": 2, "stage": "plan", "questions": ["When?"]}
    assert "Secret" not in text


async def test_a_database_that_fails_during_progress_does_not_end_the_answer() -> None:
    evidence = Evidence((Hit(Passage("a", "Words.", "a", "v", 0, 6), 0.5, "q"),))

    async def work(progress: Progress) -> dict[str, Any]:
        assert progress.news is not None
        progress.news("action", None, {"action": "correct", "evidence": evidence})
        return BODY

    async def away(_ids: Collection[str]) -> set[str]:
        raise StorageError("the database is away")

    grade, *_, final = events(await sent(work, away))
    assert grade.data == {"seq": 1, "stage": "action", "action": "correct"}
    assert final.name == "final"


async def test_a_run_that_fails_on_the_way_ends_in_a_problem() -> None:
    async def work(progress: Progress) -> dict[str, Any]:
        assert progress.news is not None
        progress.news("search", Event(1, None, "search", 0, 0.5), {})
        raise StorageError("s3://bucket is away")

    search, error = events(await sent(work))
    assert (search.name, error.name) == ("search", "error")
    assert (error.data["code"], error.data["status"], error.data["seq"]) == ("storage", 503, 2)
    assert "s3://" not in str(error.data)


async def test_a_long_silence_is_broken_by_comments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "KEEP_ALIVE_SECONDS", 0.01)
    go_on = asyncio.Event()

    async def work(_progress: Progress) -> dict[str, Any]:
        await go_on.wait()
        return BODY

    items = Items()
    running = asyncio.create_task(streaming._run(work, items))
    stream = streaming._encoded(running, items, streaming._event)
    assert [await anext(stream) for _ in range(2)] == [b": still here\n\n"] * 2
    go_on.set()
    rest = b"".join([each async for each in stream]).decode()
    assert [each.name for each in events(rest)] == ["claim", "final"]


async def test_who_does_not_read_is_cut_off_when_the_answer_is_complete(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(streaming, "SEND_SECONDS", 0.01)
    items, go_on, begun = Items(), asyncio.Event(), asyncio.Event()

    async def work(_progress: Progress) -> dict[str, Any]:
        await go_on.wait()
        return BODY

    async def send(_message: Message) -> None:
        begun.set()
        await asyncio.Event().wait()  # nobody takes it

    async def receive() -> Message:
        await asyncio.Event().wait()
        raise AssertionError

    running = asyncio.create_task(streaming._run(work, items))
    encoded = streaming._encoded(running, items, streaming._event)
    reply = streaming.AnswerStream(running, encoded)
    async with asyncio.timeout(20):
        replying = asyncio.create_task(reply({"type": "http"}, receive, send))
        await begun.wait()
        assert not replying.done()  # the answer is still being made
        go_on.set()
        await replying
    assert running.done()


def test_events_have_the_names_that_are_promised() -> None:
    assert set(EVENTS.values()) == {"plan", "search", "grade", "draft", "repair"}
