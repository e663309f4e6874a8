"""Process long texts in a child process that can be killed: split an answer, prepare a source.

Pattern matching holds Python's global lock and cannot be interrupted. In a child process it does
not block other requests, and it stops at the deadline or when the caller disconnects.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import lru_cache

from upheld._internal.cache import run_cache
from upheld._internal.child_process import OUT_OF_MEMORY, ChildEndedError, ChildProcesses, serve
from upheld.text.assertion import Assertion, Unasserted
from upheld.text.instructions import blanked, instruction_spans
from upheld.text.names import Names
from upheld.text.word_search import WordIndex
from upheld.types import Cause, Passage
from upheld.verification.claims import Sentence, split_answer
from upheld.verification.exact_quote import Quotable
from upheld.verification.source import CheckFailure, Source

LONG = 20_000  # characters of one text; shorter ones take a few milliseconds
AT_ONCE = 2  # children; a request uses one at a time
MEMORY_BYTES = 1_500_000_000  # of a child; a text of 500,000 characters takes a tenth of it
_MOST_REPLY = 1 << 30
_CHILD = (sys.executable, "-P", "-m", "upheld.verification.text_work")


async def split_apart(answer: str) -> tuple[Sentence, ...] | CheckFailure:
    """Run `split_answer` in a child process; returns a failure if the child ends early."""
    reply = await _asked({"work": "split"}, answer)
    return reply if isinstance(reply, CheckFailure) else await asyncio.to_thread(_sentences, reply)


async def prepare_apart(source: Source) -> None:
    """Prepare a source in a child process; on failure, set the source's `failure`."""
    passage = source.passage
    about = {"work": "prepare", "title": passage.title, "headings": passage.heading_path}
    reply = await _asked(about, passage.text)
    if isinstance(reply, CheckFailure):
        nothing = {"sentences": [], "unasserted": {}, "quotable": (), "words": WordIndex(0, {})}
        source.prepared(failure=reply, evidence=source.passage, **nothing)
    else:
        await asyncio.to_thread(_fill, source, reply)


def _sentences(reply: bytes) -> tuple[Sentence, ...]:
    found = json.loads(reply)["found"]
    return tuple(Sentence(**{**each, "marks": tuple(each["marks"])}) for each in found)


def _fill(source: Source, reply: bytes) -> None:
    fields = json.loads(reply)
    failure = fields["failure"]
    assertions = {assertion.value: assertion for assertion in Assertion}
    passage = source.passage
    source.prepared(
        evidence=replace(
            passage,
            text=blanked(passage.text, fields["instructions"]),
            title=fields["title"],
            heading_path=tuple(fields["headings"]),
        ),
        failure=None if failure is None else CheckFailure(Cause(failure[0]), failure[1]),
        sentences=[(start, end) for start, end in fields["sentences"]],
        quotable=tuple(Quotable(*each) for each in fields["quotable"]),
        unasserted={
            (start, end): Unasserted(first, last, assertions[assertion])
            for start, end, first, last, assertion in fields["unasserted"]
        },
        names=Names(frozenset(fields["words"]), frozenset(fields["initials"])),
        words=WordIndex(len(fields["sentences"]), fields["places"]),
    )


@lru_cache(maxsize=1)
def _children() -> ChildProcesses:
    """Return the pool of child processes, which are started on demand."""
    children = ChildProcesses(_CHILD, at_once=AT_ONCE, most_reply=_MOST_REPLY)
    atexit.register(children.close)
    return children


async def _asked(about: Mapping[str, object], text: str) -> bytes | CheckFailure:
    body = text.encode("utf-8", "surrogatepass")
    try:
        reply, _ = await _children().ask(json.dumps(about).encode(), body)
    except ChildEndedError as ended:
        reason = f"the process that worked on its text ended (status {ended.status})"
        if ended.status == OUT_OF_MEMORY:
            reason = f"its text needs more than {MEMORY_BYTES // 1_000_000} MB to be worked on"
        return CheckFailure(Cause.UNREADABLE, reason)
    return reply


def _answer(head: bytes, body: bytes) -> tuple[bytes, bytes]:
    """Answer one request, inside the child process."""
    about, text = json.loads(head), body.decode("utf-8", "surrogatepass")
    fields: dict[str, object]
    with run_cache():
        if about["work"] == "split":
            fields = {"found": [asdict(each) for each in split_answer(text)]}
        else:
            fields = _prepared(text, about["title"], about["headings"])
    return json.dumps(fields).encode(), b""


def _prepared(text: str, title: str, headings: list[str]) -> dict[str, object]:
    passage = Passage("", text, "", "", 0, len(text), title, heading_path=tuple(headings))
    source = Source(passage)
    failure = source.failure
    return {
        "instructions": instruction_spans(text),
        "title": source.evidence.title,
        "headings": source.evidence.heading_path,
        "failure": None if failure is None else (failure.cause.value, failure.reason),
        "sentences": source.sentences if failure is None else [],
        "quotable": [[q.start, q.end, q.form, q.place] for q in source.quotable],
        "unasserted": [
            [*span, words.start, words.end, words.assertion.value]
            for span, words in (source.unasserted.items() if failure is None else ())
        ],
        "words": list(source.names.words) if failure is None else [],
        "initials": list(source.names.initials) if failure is None else [],
        "places": source.words.places if failure is None else {},
    }


if __name__ == "__main__":
    serve(_answer, MEMORY_BYTES)
