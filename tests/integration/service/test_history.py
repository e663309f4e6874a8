"""The history of answers, what readers volunteer, and what they are asked: only that calibrates."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.service.serving import ask, client, give, new_key, work_off
from tests.integration.service.test_guarantee import PATH, Museum, museum
from upheld_service.db.keys import KeyScope

__all__ = ["museum"]  # the fixture
pytestmark = pytest.mark.real
REVIEWS = "/v1/collections/staff/reviews"
QUESTIONS = ("When does the lighthouse open?", "When does the ferry leave?", "Who keeps the keys?")


@pytest.fixture
async def library(museum: Museum) -> Museum:
    """With three answers, the first of which is stored twice."""
    await give(museum.caller, "ferry", "The ferry leaves at noon.")
    await give(museum.caller, "keys", "The warden keeps the keys.", "hr")
    await work_off(museum.app, museum.state)
    for question in QUESTIONS:
        assert (await ask(museum.caller, question)).json()["status"] == "answered"
    return museum


async def listed(library: Museum, **query: Any) -> dict[str, Any]:
    reply = await library.caller.get("/v1/answers", params=query)
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    return found


async def test_answers_are_listed_searched_and_seen_by_whom_they_are_for(library: Museum) -> None:
    first = await listed(library, limit=3)
    assert [each["question"] for each in first["answers"]] == list(reversed(QUESTIONS))
    rest = await listed(library, limit=3, after=first["next"])
    assert [each["question"] for each in rest["answers"]] == [QUESTIONS[0]]
    assert rest["next"] is None
    line = first["answers"][0]
    whole = (await library.caller.get(f"/v1/answers/{line['id']}")).json()
    assert (whole["text"], whole["question"]) == (line["text"], line["question"])

    async def questions(**query: Any) -> list[str]:
        return [each["question"] for each in (await listed(library, **query))["answers"]]

    assert await questions(q="FERRY leave") == [QUESTIONS[1]]
    assert await questions(q="noon") == [QUESTIONS[1]]  # of the answer
    assert await questions(q="100%") == await questions(q="no_n") == []
    assert len(await questions(collection="staff")) == 4
    unknown = await library.caller.get("/v1/answers", params={"collection": "board"})
    assert unknown.status_code == 404
    for wrong in ("x", "2026-11-17_" + "0" * 32, "9" * 30 + "_" + "0" * 32):
        reply = await library.caller.get("/v1/answers", params={"after": wrong})
        assert (reply.status_code, reply.json()["code"]) == (400, "usage")

    guide = await new_key(library.state, tenant="museum", labels=["guide"])
    async with client(library.app, guide) as other:
        await ask(other, QUESTIONS[1])
        theirs = (await other.get("/v1/answers")).json()["answers"]
        assert [each["question"] for each in theirs] == [QUESTIONS[1]]  # not those of the owner
    stranger = await new_key(library.state)
    async with client(library.app, stranger) as other:
        assert (await other.get("/v1/answers")).json() == {"answers": [], "next": None}


async def test_readers_agree_and_disagree_and_the_guarantee_does_not_hear(library: Museum) -> None:
    answer = (await listed(library, limit=1))["answers"][0]["id"]
    path = f"/v1/answers/{answer}/claims/1/feedback"
    reader = await new_key(library.state, tenant="museum", scopes=[KeyScope.READ])
    async with client(library.app, reader) as other:
        for body in ({"agrees": True}, {"agrees": False, "note": "Not on Sundays."}):
            assert (await other.post(path, json=body)).status_code == 200
    assert (await library.caller.post(path, json={"agrees": True})).status_code == 200
    said = (await library.caller.get(f"/v1/answers/{answer}/feedback")).json()["feedback"]
    assert [(each["agrees"], each["note"], each["labels"]) for each in said] == [
        (False, "Not on Sundays.", None),
        (True, "", None),
    ]
    assert len({each["author"] for each in said}) == 2
    for url in (path.replace("claims/1", "claims/9"), path.replace(answer, "0" * 32)):
        assert (await library.caller.post(url, json={"agrees": True})).status_code == 404
    guide = await new_key(library.state, tenant="museum", labels=["guide"])
    async with client(library.app, guide) as other:  # the answer is not for its labels
        assert (await other.post(path, json={"agrees": True})).status_code == 404
        assert (await other.get(f"/v1/answers/{answer}/feedback")).status_code == 404

    counts = (await library.caller.get(REVIEWS)).json()
    assert counts == {"judged": 0, "skipped": 0, "pipelines": {}}
    refused = await library.caller.post(PATH, params={"reviews": True})
    assert (refused.status_code, refused.json()["code"]) == (400, "usage")
    await library.caller.delete("/v1/collections/staff/documents/keys")
    assert (await library.caller.get(f"/v1/answers/{answer}/feedback")).status_code == 404


async def test_drawn_claims_are_judged_blind_and_only_they_calibrate(library: Museum) -> None:
    judged: list[str] = []
    for number in range(len(QUESTIONS)):
        drawn = (await library.caller.post(REVIEWS)).json()
        assert (await library.caller.post(REVIEWS)).json() == drawn  # no choosing
        assert drawn["quotes"]
        assert set(drawn) == {"id", "answer_id", "claim", "question", "text", "quotes"}
        assert not {"verdict", "support", "probability", "score"} & set(drawn["quotes"][0])
        judged.append(drawn["question"])
        own = f"{REVIEWS}/{drawn['id']}"
        colleague = await new_key(library.state, tenant="museum")
        async with client(library.app, colleague) as other:
            assert (await other.post(own, json={"supported": True})).status_code == 404
        reply = await library.caller.post(own, json={"supported": None if number == 2 else True})
        assert reply.status_code == 200
        assert (await library.caller.post(own, json={"supported": False})).status_code == 409
    assert sorted(judged) == sorted(QUESTIONS)  # one claim of each question, however often asked
    assert (await library.caller.post(REVIEWS)).status_code == 404
    counts = (await library.caller.get(REVIEWS)).json()
    assert counts == {"judged": 2, "skipped": 1, "pipelines": {library.pipeline: 2}}

    # Labels have no words of documents, and outlive their answers.
    await library.caller.delete("/v1/collections/staff/documents/ferry")
    levels = {"reviews": True, "alpha": 0.1, "delta": 0.1}
    key = {"Idempotency-Key": "fit-1"}
    reply = await library.caller.post(PATH, params=levels, headers=key)
    assert (reply.status_code, reply.json()["labels"]) == (202, 2)
    repeat = await library.caller.post(PATH, params=levels, headers=key)
    assert (repeat.status_code, repeat.json()) == (202, reply.json())  # its labels are spent
    await work_off(library.app, library.state)
    told = (await library.caller.get(PATH)).json()
    assert (told["status"], "Nothing could be certified" in told["detail"]) == (404, True)

    # They are spent: with more added until it passes, the promise would not hold.
    counts = (await library.caller.get(REVIEWS)).json()
    assert counts == {"judged": 0, "skipped": 1, "pipelines": {}}
    again = await library.caller.post(PATH, params={"reviews": True})
    assert (again.status_code, again.json()["code"]) == (400, "usage")

    guide = await new_key(library.state, tenant="museum", labels=["guide"])
    async with client(library.app, guide) as other:  # it sees a part, and a promise is for all
        assert (await other.post(REVIEWS)).status_code == 403
        assert (await other.get(REVIEWS)).status_code == 403
