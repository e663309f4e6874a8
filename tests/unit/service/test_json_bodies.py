"""JSON of strangers: its structure is counted before it is parsed."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.exceptions import HTTPException

from upheld_service.http.bodies import MOST_OUTSIDE, parsed, structure

Json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def strings(value: object) -> list[str]:
    match value:
        case str():
            return [value]
        case list():
            return [text for each in value for text in strings(each)]
        case dict():
            return [*value, *(text for each in value.values() for text in strings(each))]
        case _:
            return []


@given(Json, st.booleans())
def test_strings_and_what_is_outside_them_are_counted(value: object, escaped: bool) -> None:
    text = json.dumps(value, ensure_ascii=escaped)
    quoted = [json.dumps(each, ensure_ascii=escaped) for each in strings(value)]
    assert structure(text.encode("utf-8", "surrogatepass"), 1000) == (
        len(quoted),
        len(text) - sum(map(len, quoted)),
    )


@given(Json)
def test_what_is_short_enough_is_parsed_as_it_is(value: object) -> None:
    assert parsed(json.dumps(value).encode(), 1000) == value


MANY = 9_000_000


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"[" + b"[]," * (MANY // 3) + b"0]", 413),
        (b"[" + b"0," * (MANY // 2) + b"0]", 413),
        (b"[" + b'"",' * (MANY // 3) + b"0]", 413),
        (b"{" + b'"a":0,' * (MANY // 6) + b'"a":0}', 413),
        (b'["' + rb"\"" * (MANY // 2) + b'"]', 413),
        (b'["' + b"\\" * (MANY // 2) + b'"]', 413),
        (b"[" * MANY, 413),
        (b"[" * (MOST_OUTSIDE - 1), 400),
        (b'{"a":' * 100, None),
        (b'[{"a":' * 10_000, 413),
        (b"9" * 5000, 400),
        (b"9" * MANY, 413),
        (b'"\xff"', 400),
        (b"{", None),
    ],
)
def test_what_would_take_long_is_refused_at_once(body: bytes, status: int | None) -> None:
    began = time.thread_time()
    if status is None:
        with pytest.raises(json.JSONDecodeError):
            parsed(body, 128)
    else:
        with pytest.raises(HTTPException) as refused:
            parsed(body, 128)
        assert refused.value.status_code == status
    assert time.thread_time() - began < 0.2


def test_ten_megabytes_of_text_take_no_longer() -> None:
    body = json.dumps({"answer": "A.", "sources": ["It opens.\n" * 40_000] * 20}).encode()
    began = time.thread_time()
    assert len(parsed(body, 128)["sources"]) == 20
    assert time.thread_time() - began < 0.5
