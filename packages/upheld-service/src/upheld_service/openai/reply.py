"""An answer as a chat completion: its text, its citations as annotations, its usage.

A client that shows only the text must not show a doubtful sentence like a supported one: so a
sentence that is not supported says so in words.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote, urlencode

from fastapi.sse import format_sse_event

from upheld._internal.to_json import to_json
from upheld.answer.render import in_words
from upheld.types import Support
from upheld_service.answering import Body

DOUBTS: Mapping[str, str] = {
    Support.UNSUPPORTED: "(not supported by the sources)",
    Support.CONTRADICTED: "(contradicted by the sources)",
    Support.NOT_CHECKED: "(not checked)",
}
PREFIX = "chatcmpl-"
DONE = format_sse_event(data_str="[DONE]")


@dataclass(frozen=True, slots=True)
class UrlCitation:
    """A source of `content[start_index:end_index]`."""

    start_index: int
    end_index: int
    title: str
    url: str


@dataclass(frozen=True, slots=True)
class Annotation:
    """A citation, as the only kind of annotation that chat completions have."""

    url_citation: UrlCitation
    type: Literal["url_citation"] = "url_citation"


@dataclass(frozen=True, slots=True)
class Reply:
    """The message of the assistant."""

    content: str
    annotations: tuple[Annotation, ...]
    refusal: None = None
    role: Literal["assistant"] = "assistant"


@dataclass(frozen=True, slots=True)
class Choice:
    """The one answer."""

    message: Reply
    index: int = 0
    finish_reason: Literal["stop"] = "stop"
    logprobs: None = None


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens that the language model read and wrote, over all calls for the answer."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    prompt_tokens_details: dict[str, int]


@dataclass(frozen=True, slots=True)
class Behind:
    """Details that chat completions have no field for; `/v1/answers/{answer}` has everything."""

    answer: str
    question: str  # which was answered: earlier messages are in it
    status: str
    degraded: tuple[str, ...]
    p_right: float | None  # the probability that it answers the question
    doubtful: bool


@dataclass(frozen=True, slots=True)
class Completion:
    """A reply of `/v1/chat/completions`."""

    id: str
    created: int
    model: str
    choices: tuple[Choice, ...]
    usage: Tokens
    upheld: Behind
    object: Literal["chat.completion"] = "chat.completion"


def completion(body: Body, *, model: str, created: int, texts: str) -> Completion:
    """Convert a stored answer; `texts` is the address of its collection's documents."""
    sentences = _sentences(body)
    used = body["usage"]
    return Completion(
        id=f"{PREFIX}{body['id']}",
        created=created,
        model=model,
        choices=(Choice(Reply(" ".join(sentences), tuple(_annotations(body, sentences, texts)))),),
        usage=Tokens(
            used["prompt_tokens"],
            used["completion_tokens"],
            used["prompt_tokens"] + used["completion_tokens"],
            {"cached_tokens": used["cached_tokens"]},
        ),
        upheld=Behind(
            body["id"],
            body["question"],
            body["status"],
            tuple(body["degraded"]),
            body.get("p_right"),
            body.get("doubtful", False),
        ),
    )


def chunks(body: Body, whole: Completion, *, with_usage: bool) -> Iterator[bytes]:
    """Yield the same as events: one per sentence, then the citations, then usage if requested."""
    first, *rest = _sentences(body)
    yield _chunk(whole, {"role": "assistant", "content": first})
    for sentence in rest:
        yield _chunk(whole, {"content": f" {sentence}"})
    annotations = to_json(whole.choices[0].message.annotations)
    yield _chunk(whole, {"annotations": annotations}, "stop", upheld=to_json(whole.upheld))
    if with_usage:
        yield _event(whole, choices=[], usage=to_json(whole.usage))
    yield DONE


def _chunk(whole: Completion, delta: Body, reason: str | None = None, **more: Any) -> bytes:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
    return _event(whole, choices=[choice], **more)


def _event(whole: Completion, **more: Any) -> bytes:
    same = {"id": whole.id, "created": whole.created, "model": whole.model}
    data = {**same, "object": "chat.completion.chunk", **more}
    return format_sse_event(data_str=json.dumps(data, ensure_ascii=False, allow_nan=False))


def _sentences(body: Body) -> list[str]:
    """Return each claim with its marks and, if it is not supported, words that say so.

    After the last one stands that the answer is doubtful, if it is.
    """
    text, claims = body["text"], body["claims"]
    ends = [*(claim["start"] for claim in claims[1:]), len(text)]
    said = [
        f"{text[claim['start'] : end].rstrip()} {DOUBTS.get(claim['verdict']['support'], '')}"
        for claim, end in zip(claims, ends, strict=False)
    ]
    sentences = [each.rstrip() for each in said] or [text]
    if body.get("doubtful"):
        sentences[-1] += f" ({in_words(body['p_right'], doubtful=True)})"
    return sentences


def _annotations(body: Body, sentences: Sequence[str], texts: str) -> Iterator[Annotation]:
    sources = {source["id"]: source for source in body["sources"]}
    start = 0
    for claim, sentence in zip(body["claims"], sentences, strict=False):
        end = start + claim["end"] - claim["start"]
        for citation in claim["citations"]:
            source = sources.get(citation["passage_id"])
            if source is None:  # it has no mark either
                continue
            title = source["title"] or source["uri"] or source["document_id"]
            url = _address(source["uri"], citation, texts)
            yield Annotation(UrlCitation(start, end, title, url))
        start += len(sentence) + 1


def _address(uri: str, citation: Body, texts: str) -> str:
    """Return the address of the page, or of the quoted words of the document."""
    if uri.startswith(("https://", "http://")):
        return uri
    part = {"version": citation["document_version"]}
    place = {"start": citation["start"], "end": citation["end"]}
    return f"{texts}/{quote(citation['document_id'])}/text?{urlencode(part | place)}"
