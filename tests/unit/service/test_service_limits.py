"""What names, texts and bodies are taken."""

from __future__ import annotations

import time
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from upheld.errors import UsageError
from upheld_service.answering import Ask
from upheld_service.http.field_limits import CollectionName, DocumentId, Label, QuestionText
from upheld_service.jobs.uploads import readable_name
from upheld_service.openai.request import Chat
from upheld_service.routes.verify import Verify


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (CollectionName, ["a", "staff-2.x_y", "9"], ["", ".a", "a/b", "a b", "_uploads", "a\n"]),
        (DocumentId, ["a", "a.b:c@d-e_f"], ["", "..", "a/b", "a b", "x" * 129, "a\n", "é"]),
        (Label, ["a", "for staff", "é"], ["", " a", "a ", "a,b", "a\nb", "x" * 65, "\0"]),
        (QuestionText, ["Why?", "é\U0001f600"], ["", "\0", "x" * 4001, "\ud800"]),
    ],
)
def test_names_and_texts(kind: Any, good: list[str], bad: list[str]) -> None:
    adapter: TypeAdapter[str] = TypeAdapter(kind)
    for each in good:
        assert adapter.validate_python(each) == each
    for each in bad:
        with pytest.raises(ValidationError):
            adapter.validate_python(each)


@pytest.mark.parametrize(
    ("model", "body"),
    [
        (Ask, {"question": "é" * 9_000_000}),
        (Ask, {"question": "Why?", "parameters": {"é" * 9_000_000: 1}}),
        (Ask, {"question": "Why?", "parameters": {"a": "é" * 9_000_000}}),
        (Ask, {"question": "Why?", "parameters": {str(each): 1 for each in range(33)}}),
        (Ask, {"question": "Why?", "parameters": {"passages": 10**4000}}),
        (Ask, {"question": "Why?", "parameters": {"upper": float("nan")}}),
        (Ask, {"question": "Why?", "budget": {"seconds": 10**400}}),
        (Ask, {"question": "Why?", "budget": {"seconds": float("nan")}}),
        (Ask, {"question": "Why?", "method": "é" * 9_000_000}),
        (Ask, {"question": "Why?", "collection": "a" * 9_000_000}),
        (Verify, {"answer": "é" * 9_000_000, "sources": []}),
        (Verify, {"answer": "A.", "sources": ["é" * 9_000_000]}),
        (Verify, {"answer": "A.", "sources": ["a"] * 1_000_000}),
        (Chat, {"model": "rag", "messages": [{"role": "user", "content": "é" * 9_000_000}]}),
        (Chat, {"model": "rag", "messages": [{"role": "user"}] * 1_000_000}),
        (
            Chat,
            {"model": "rag", "messages": [{"role": "user", "content": [{"type": "text"}] * 10**6}]},
        ),
    ],
)
def test_what_is_too_long_is_refused_before_anything_walks_it(
    model: type[BaseModel], body: dict[str, Any]
) -> None:
    began = time.thread_time()
    with pytest.raises(ValidationError):
        model.model_validate(body)
    assert time.thread_time() - began < 0.2  # a look at every character takes seconds


@pytest.mark.parametrize(
    ("file_name", "content_type", "name"),
    [
        ("Rota.PDF", "", "Rota.PDF"),
        (None, "text/plain; charset=utf-8", "rota.txt"),
        (None, "Application/PDF", "rota.pdf"),
        ("notes.md", "application/octet-stream", "notes.md"),
    ],
)
def test_a_name_tells_the_format(file_name: str | None, content_type: str, name: str) -> None:
    assert readable_name("rota", file_name, content_type) == name


@pytest.mark.parametrize(("file_name", "content_type"), [("a.exe", ""), (None, "image/png")])
def test_an_unknown_format_is_refused(file_name: str | None, content_type: str) -> None:
    name = file_name or "rota"
    with pytest.raises(UsageError, match=f"format of {name} is not supported"):
        readable_name("rota", file_name, content_type)
