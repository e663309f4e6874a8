"""How large a request may be: bytes are counted as they come, whatever the header says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator, Field
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from upheld.client import MAX_QUESTION
from upheld.errors import TooLargeError
from upheld.service.problems import problem_response

FILE_METHOD = "PUT"  # the only one that carries a file
MOST_LABELS = 32
MOST_SOURCES = 64
PAGE = 100  # entries of a list, at most


def _storable(text: str) -> str:
    """PostgreSQL holds no U+0000, and UTF-8 no half of a surrogate pair."""
    if "\0" in text or any("\ud800" <= each <= "\udfff" for each in text):
        raise ValueError("it has characters that cannot be stored")
    return text


Text = Annotated[str, AfterValidator(_storable)]
QuestionText = Annotated[Text, Field(min_length=1, max_length=MAX_QUESTION)]
SourceText = Annotated[Text, Field(max_length=500_000)]
AnswerText = Annotated[Text, Field(min_length=1, max_length=50_000)]
COLLECTION = r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}"
CollectionName = Annotated[str, Field(pattern=rf"^{COLLECTION}$")]
DocumentId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$")]
Label = Annotated[str, Field(pattern=r"^[^\x00-\x20,](?:[^\x00-\x1f,]{0,62}[^\x00-\x20,])?$")]


@dataclass(frozen=True, slots=True)
class BodyLimit:
    """Refuses bodies that are too large, before or while they come."""

    app: ASGIApp
    body_bytes: int
    file_bytes: int

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        most = self.file_bytes if scope["method"] == FILE_METHOD else self.body_bytes
        told = f"At most {most:,} bytes are taken."
        length = Headers(scope=scope).get("content-length", "")
        if length.isascii() and length.isdigit() and int(length) > most:
            await problem_response(TooLargeError(told), scope["path"])(scope, receive, send)
            return
        came = 0

        async def counted() -> Message:
            nonlocal came
            message = await receive()
            came += len(message.get("body", b""))
            if came > most:
                # FastAPI hides any other error behind a 400 of its own.
                raise HTTPException(413, told)
            return message

        await self.app(scope, counted, send)
