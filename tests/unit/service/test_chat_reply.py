"""Answers in OpenAI's shape: what is doubtful says so, and citations point at their sentence."""

from __future__ import annotations

import json
from typing import Any

import pytest

from upheld._internal.to_json import to_json
from upheld.errors import NotFoundError, UsageError
from upheld.types import Answer, Citation, Claim, Passage, Status, Support, Usage, Verdict
from upheld_service.openai.reply import chunks, completion
from upheld_service.openai.request import Chat, question_of, split

TEXTS = "http://here/v1/collections/staff/documents"
ROTA = Passage("p1", "It opens at nine.", "rota", "v1", 0, 17, uri="rota.txt")
PAGE = Passage("p2", "It is red.", "page", "v2", 5, 15, title="Red", uri="https://a.example/red")


def cited(passage: Passage) -> Citation:
    return Citation(passage.id, passage.document_id, "v1", passage.start, passage.end, passage.text)


def answer(**more: Any) -> dict[str, Any]:
    claims = (
        Claim("It opens at nine.", (cited(ROTA),), Verdict(Support.SUPPORTED), 0, 17),
        Claim("It is red.", (cited(PAGE), cited(ROTA)), Verdict(Support.UNSUPPORTED), 22, 32),
        Claim("It is old.", (), Verdict(Support.NOT_CHECKED), 40, 50),
    )
    text = "It opens at nine. [1] It is red. [1][2] It is old."
    usage = Usage(requests=2, prompt_tokens=30, cached_tokens=10, completion_tokens=12)
    whole = {"claims": claims, "sources": (ROTA, PAGE), "usage": usage, **more}
    body: dict[str, Any] = to_json(Answer("a1", "When?", Status.ANSWERED, "rag", text, **whole))
    return body


def test_what_is_not_upheld_says_so_in_words() -> None:
    whole = completion(answer(), model="rag@staff", created=7, texts=TEXTS)
    (choice,) = whole.choices
    assert choice.message.content == (
        "It opens at nine. [1] It is red. [1][2] (not supported by the sources) "
        "It is old. (not checked)"
    )
    told = [each.url_citation for each in choice.message.annotations]
    content = choice.message.content
    assert [content[each.start_index : each.end_index] for each in told] == [
        "It opens at nine.",
        "It is red.",
        "It is red.",
    ]
    assert [(each.title, each.url) for each in told[:2]] == [
        ("rota.txt", f"{TEXTS}/rota/text?version=v1&start=0&end=17"),
        ("Red", "https://a.example/red"),
    ]
    assert (whole.id, whole.upheld.answer, whole.model) == ("chatcmpl-a1", "a1", "rag@staff")
    assert to_json(whole.usage) == {
        "prompt_tokens": 30,
        "completion_tokens": 12,
        "total_tokens": 42,
        "prompt_tokens_details": {"cached_tokens": 10},
    }


@pytest.mark.parametrize("with_usage", [False, True])
def test_chunks_are_the_completion_in_pieces(with_usage: bool) -> None:
    for body in (answer(), answer(claims=(), sources=())):
        whole = completion(body, model="rag", created=7, texts=TEXTS)
        *sent, done = b"".join(chunks(body, whole, with_usage=with_usage)).split(b"\n\n")[:-1]
        assert done == b"data: [DONE]"
        events = [json.loads(each.removeprefix(b"data: ")) for each in sent]
        assert {each["id"] for each in events} == {whole.id}
        deltas = [choice["delta"] for each in events for choice in each["choices"]]
        assert "".join(each.get("content", "") for each in deltas) == (
            whole.choices[0].message.content
        )
        assert deltas[-1]["annotations"] == to_json(whole.choices[0].message.annotations)
        assert ("usage" in events[-1]) is with_usage
        ends = [choice["finish_reason"] for each in events for choice in each["choices"]]
        assert ends == [None] * (len(ends) - 1) + ["stop"]


def chat(*turns: tuple[str, Any], **more: Any) -> Chat:
    messages = [{"role": role, "content": content} for role, content in turns]
    return Chat.model_validate({"model": "rag@staff", "messages": messages, **more})


def test_the_last_message_is_the_question() -> None:
    ask, earlier = question_of(
        chat(
            ("system", "Be brief."),
            ("user", "Is there a ferry?"),
            ("assistant", None),
            ("assistant", "Yes."),
            ("user", [{"type": "text", "text": "When?"}]),
            temperature=0.2,
            max_tokens=5,
            n=1,
            tools=[],
            response_format={"type": "text"},
        )
    )
    assert (ask.question, ask.method, ask.collection) == ("When?", "rag", "staff")
    assert [(each.role, each.content) for each in earlier] == [
        ("user", "Is there a ferry?"),
        ("assistant", "Yes."),
    ]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"n": 2}, "n must be 1"),
        ({"tools": [{"type": "function"}]}, "Tools cannot be called"),
        ({"modalities": ["text", "audio"]}, "modalities"),
        ({"response_format": {"type": "json_object"}}, "response_format"),
        ({"messages": [{"role": "assistant", "content": "Hello."}]}, "role user"),
        ({"messages": [{"role": "tool", "content": "7"}]}, "Tools cannot be called"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "type image_url"),
    ],
)
def test_what_would_change_the_reply_is_refused(more: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        question_of(chat(("user", "When?"), **more))


def test_a_model_is_a_method_and_a_collection() -> None:
    assert split("upheld") == ("upheld", "default")
    assert split("rag@a@b") == ("rag", "a@b")
    with pytest.raises(NotFoundError, match="no model gpt"):
        split("gpt")
