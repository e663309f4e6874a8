"""Requests that are meant to stop a service: those that once did, and others like them."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable

from tests.integration.service.attacking import (
    TEXT,
    Attack,
    asks,
    half_a_body,
    leaving,
    padded,
    posts,
    repeated,
    sent,
    slow_reader,
    small_chunks,
    small_chunks_of_strangers,
    uploads,
    verifies,
)


def zip_bomb(size: float) -> bytes:
    """A DOCX whose text is a gigabyte of one letter."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        with archive.open("word/document.xml", "w", force_zip64=True) as file:
            for _ in range(round(1000 * size)):
                file.write(b"a" * 1_000_000)
    return made.getvalue()


def many_keys(size: float) -> bytes:
    return b"{" + b'"key":17,' * round(600_000 * size) + b'"key":17}'


def conversation(size: float) -> bytes:
    turn = {"role": "user", "content": "that claim that story that " * round(130 * size)}
    return json.dumps({"model": "rag@staff", "messages": [turn] * 500}).encode()


def many_parts(size: float) -> bytes:
    parts = [{"type": "text", "text": "a"}] * round(60_000 * size)
    return json.dumps(
        {"model": "rag@staff", "messages": [{"role": "user", "content": parts}]}
    ).encode()


def labels_of_lines(size: float) -> bytes:
    return b'{"question": "a"}\n' * round(500_000 * size)


def sentences(length: int) -> Callable[[float], str]:
    """Ordinary sentences, no two alike."""

    def made(size: float) -> str:
        numbers = range(round(length * size) // 50 + 1)
        told = (f"In {1500 + each % 500} the keeper of tower {each} slept." for each in numbers)
        return " ".join(told)[: round(length * size)]

    return made


LINKS = repeated("[a link](https://example.org/a?b=c) ", 450_000)
STORY = "that claim that story that "
ANSWER = 49_990  # characters: the most that an answer may have is 50,000
SOURCE = 499_990

NAMED = (
    Attack("60,000 of 'that claim'", verifies(f"{TEXT} [1]", repeated(STORY, 60_000))),
    Attack("119,000 of 'that claim'", verifies(f"{TEXT} [1]", repeated(STORY, 119_000))),
    Attack("A, 50,000 spaces, B", verifies(lambda size: f"A{' ' * round(ANSWER * size)}B.", TEXT)),
    Attack("?!... in an answer", verifies(repeated("?!...", 45_000), TEXT)),
    Attack("a question of 9.9 MB", asks(repeated("a", 9_900_000))),
    Attack("900 kB of links as sources", verifies(TEXT, LINKS, LINKS)),
    Attack(
        "900 kB of links as a document",
        uploads("links", "text/markdown", lambda size: (LINKS(size) * 2).encode()),
        in_gate=False,
    ),
    Attack("hundred hundred hundred", verifies(repeated("hundred ", 48_000), TEXT)),
)
OWN = (
    Attack("500,000 of 'that claim'", verifies(f"{TEXT} [1]", repeated(STORY, SOURCE))),
    Attack("'that claim' as an answer", verifies(repeated(STORY, ANSWER), TEXT)),
    Attack(
        "many sources, many sentences",
        verifies(sentences(ANSWER), *[sentences(140_000)] * 64),
        in_gate=False,
    ),
    Attack("many claims", verifies(repeated("A b. ", ANSWER), TEXT)),
    Attack("combining marks", verifies(repeated("a" + "\u0301" * 200, ANSWER), TEXT)),
    Attack("one endless word", verifies(repeated("a", ANSWER), repeated("a", SOURCE))),
    Attack("digits", verifies(repeated("1", ANSWER), repeated("1,", SOURCE))),
    Attack("dates", verifies(repeated("1 May 1/1/1999 ", ANSWER), repeated("1/", SOURCE))),
    Attack("names", verifies(repeated("Van Der A. B. ", ANSWER), repeated("Mr. A ", SOURCE))),
    Attack("brackets", verifies(repeated("[", ANSWER), repeated("([{", SOURCE))),
    Attack("marks", verifies(repeated("A [1] [2", ANSWER), TEXT)),
    Attack("quotation marks", verifies(repeated("\u201ca \"b' ", ANSWER), repeated('"', SOURCE))),
    Attack("line ends", verifies(repeated("a\n\n \n", ANSWER), repeated(" \n\t", SOURCE))),
    Attack(
        "words of doubt",
        verifies(
            repeated("not unless if may said to be ", ANSWER),
            repeated("not denied alleged if ", SOURCE),
        ),
    ),
    Attack(
        "eight at once",
        verifies(sentences(ANSWER), repeated(STORY, SOURCE), times=8),
        in_gate=False,
    ),
    Attack("a question of brackets", asks(repeated('("AND" * [', 4000), collection="staff")),
    Attack("a question of one word", asks(repeated("a", 4000), collection="staff")),
    Attack("10 MB of empty lists", posts("/v1/verify", padded(b'{"sources":[', b"[],", b"1]}"))),
    Attack("10 MB of escapes", posts("/v1/verify", padded(b'{"answer":"', rb"\"", b'"}'))),
    Attack("JSON, deeply nested", posts("/v1/verify", padded(b"", b'{"a":', b""))),
    Attack("a number of 60,000 digits", posts("/v1/answers", padded(b"", b"9", b"", 60_000))),
    Attack("600,000 keys", posts("/v1/verify", many_keys)),
    Attack("a long conversation", posts("/v1/chat/completions", conversation), most=30),
    Attack("60,000 parts", posts("/v1/chat/completions", many_parts)),
    Attack(
        "labels of no kind", posts("/v1/collections/staff/guarantee", labels_of_lines, headers={})
    ),
    Attack(
        "10 MB of line ends as labels",
        posts("/v1/collections/staff/guarantee", padded(b"", b"\n", b""), headers={}),
    ),
    Attack(
        "8,000 labels",
        lambda target, size: sent(
            target,
            "GET",
            "/v1/collections/staff/documents",
            params={"label": ["a"] * round(8000 * size)},
        ),
    ),
    Attack(
        "a header of 60 kB",
        lambda target, size: sent(
            target,
            "GET",
            "/v1/jobs",
            headers={
                "Idempotency-Key": "a" * round(60_000 * size),
                "tracestate": "a=b," * round(900 * size),
            },
        ),
    ),
    Attack("chunks of one byte", small_chunks, most=10),
    Attack("chunks of one byte, of strangers", small_chunks_of_strangers, most=10),
    Attack("half a body, a hundred times", half_a_body),
    Attack("a reader who does not read", slow_reader),
    Attack("clients who leave", leaving),
    Attack(
        "a zip bomb",
        uploads(
            "bomb",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            zip_bomb,
        ),
    ),
    Attack(
        "HTML, deeply nested",
        uploads("nested", "text/html", lambda size: b"<div>" * round(200_000 * size)),
    ),
    Attack(
        "Markdown, deeply nested",
        uploads("quoted", "text/markdown", lambda size: b">" * round(100_000 * size)),
        in_gate=False,
    ),
    Attack(
        "CSV of a million columns",
        uploads("columns", "text/csv", lambda size: (b"a," * round(1_000_000 * size) + b"\n") * 2),
        in_gate=False,
    ),
    Attack(
        "a document of 'that claim'",
        uploads("claims", "text/plain", lambda size: STORY.encode() * round(40_000 * size)),
        in_gate=False,
    ),
    Attack(
        "a document of one word",
        uploads("word", "text/plain", lambda size: b"a" * round(2_000_000 * size)),
        in_gate=False,
    ),
)
ATTACKS = (*NAMED, *OWN)
