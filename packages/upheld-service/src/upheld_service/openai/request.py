"""Parse a chat request: the last message is the question, the others are the history.

Clients send much that has no effect here (temperature, max_tokens, system prompts): it is accepted
and ignored. What would change the shape of the reply is refused.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from upheld.errors import NotFoundError, UsageError
from upheld.methods.registry import METHODS
from upheld.ports import Message
from upheld_service.answering import Ask
from upheld_service.http.field_limits import COLLECTION, MessageText

MOST_MESSAGES = 500
MOST_PARTS = 100  # of one message
AT = "@"  # between a method and a collection
ModelName = Annotated[
    str,
    Field(
        pattern=rf"^[a-z0-9_]{{1,64}}({AT}{COLLECTION})?$",
        description="A method, and after `@` a collection: `upheld`, `rag@staff`.",
    ),
]
_TOOLS = ("tool", "function")
_TURN: dict[str, Literal["user", "assistant"]] = {"user": "user", "assistant": "assistant"}


class Part(BaseModel):
    """A part of a message; only text is read."""

    type: str = Field(max_length=64)
    text: MessageText | None = None


class Turn(BaseModel):
    """One message of a conversation; system messages are ignored."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: MessageText | Annotated[list[Part], Field(max_length=MOST_PARTS)] | None = None

    @property
    def text(self) -> str:
        """The text of the message; raises `UsageError` for a part that is not text."""
        if self.content is None or isinstance(self.content, str):
            return self.content or ""
        for part in self.content:
            if part.type != "text":
                raise UsageError(f"Only text is read; a message has a part of type {part.type}.")
        return "\n".join(part.text or "" for part in self.content)


class StreamOptions(BaseModel):
    """Options of a stream."""

    include_usage: bool | None = None


class Chat(BaseModel):
    """A chat completion request of OpenAI's API; fields that do not apply here are ignored."""

    model_config = ConfigDict(
        frozen=True,
        json_schema_extra={
            "examples": [
                {
                    "model": "rag@staff",
                    "messages": [{"role": "user", "content": "When does the lighthouse open?"}],
                }
            ]
        },
    )

    model: ModelName
    messages: list[Turn] = Field(min_length=1, max_length=MOST_MESSAGES)
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    n: int | None = None
    tools: list[Any] | None = None
    functions: list[Any] | None = None
    modalities: list[str] | None = None
    response_format: dict[str, Any] | None = None


def question_of(chat: Chat) -> tuple[Ask, tuple[Message, ...]]:
    """Return the question and the earlier messages; raises an error for what is not supported."""
    _refuse(chat)
    method, collection = split(chat.model)
    *before, last = chat.messages
    if last.role != "user":
        raise UsageError("The last message must have the role user: it is the question.")
    earlier = tuple(
        Message(_TURN[turn.role], turn.text) for turn in before if turn.role in _TURN and turn.text
    )
    try:
        return Ask(question=last.text, method=method, collection=collection), earlier
    except ValidationError as error:
        raise RequestValidationError(error.errors(include_input=False)) from None


def split(model: str) -> tuple[str, str]:
    """Return the method and the collection that a model's name stands for."""
    method, _, collection = model.partition(AT)
    if method not in METHODS:
        raise NotFoundError(f"There is no model {method}.", help="GET /v1/models lists them.")
    return method, collection or "default"


def _refuse(chat: Chat) -> None:
    if (chat.n or 1) != 1:
        raise UsageError("There is one answer to a question: n must be 1.")
    if chat.tools or chat.functions or any(turn.role in _TOOLS for turn in chat.messages):
        raise UsageError("Tools cannot be called here: answers come from documents.")
    if any(kind != "text" for kind in chat.modalities or ()):
        raise UsageError("Answers are text: modalities can only be text.")
    if (chat.response_format or {}).get("type", "text") != "text":
        raise UsageError("Answers are text: response_format can only be of type text.")
