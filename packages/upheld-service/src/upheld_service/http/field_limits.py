"""How large each field of a request may be.

Lengths are checked first: no validator walks a text before it is known to be short enough.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from upheld.client import MAX_QUESTION

MOST_LABELS = 32
MOST_SOURCES = 64
PAGE = 100  # most entries of a list


def _storable(text: str) -> str:
    """Refuse U+0000, which PostgreSQL cannot store, and lone surrogates, which UTF-8 cannot."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError("it has characters that cannot be stored") from error
    if "\0" in text:
        raise ValueError("it has characters that cannot be stored")
    return text


# The length comes before the check of characters: pydantic validates from left to right.
QuestionText = Annotated[
    str, Field(min_length=1, max_length=MAX_QUESTION), AfterValidator(_storable)
]
SourceText = Annotated[str, Field(max_length=500_000), AfterValidator(_storable)]
AnswerText = Annotated[str, Field(min_length=1, max_length=50_000), AfterValidator(_storable)]
MessageText = Annotated[str, Field(max_length=100_000), AfterValidator(_storable)]
NoteText = Annotated[str, Field(max_length=1_000), AfterValidator(_storable)]
SearchText = Annotated[str, Field(max_length=200), AfterValidator(_storable)]
ParameterName = Annotated[str, Field(max_length=64), AfterValidator(_storable)]
ParameterValue = (
    bool
    | Annotated[int, Field(ge=-(2**53), le=2**53)]
    | Annotated[float, Field(allow_inf_nan=False)]
    | Annotated[str, Field(max_length=1000), AfterValidator(_storable)]
)
COLLECTION = r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}"
CollectionName = Annotated[str, Field(pattern=rf"^{COLLECTION}$")]
DocumentId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$")]
Label = Annotated[str, Field(pattern=r"^[^\x00-\x20,](?:[^\x00-\x1f,]{0,62}[^\x00-\x20,])?$")]
