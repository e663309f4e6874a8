"""Everything that Upheld raises.

    UpheldError
    ├── UsageError            the caller asked for something that cannot be done
    │   ├── SettingsError     a setting is unknown, missing or does not fit
    │   ├── NotFoundError     a collection, document or version that does not exist
    │   ├── ConflictError     what is asked contradicts what was asked before
    │   ├── UnknownCallerError      no key, or one that is not live
    │   ├── NotAllowedError   the key is not for this
    │   ├── TooLargeError     more bytes than are taken
    │   └── CalibrationError  labelled claims or a guarantee that cannot be used
    ├── MissingExtraError     a part needs an optional package that is not installed
    ├── ReadError             one document could not be read (the rest go on)
    ├── EngineError           the search engine or its storage
    │   ├── EmbedderMismatchError   the collection was made with another embedder
    │   └── StorageError      storage cannot be reached, or a commit failed
    ├── ModelError            a local or remote encoder model
    ├── LLMError              the language model
    │   ├── LLMUnavailableError     cannot be reached, overloaded
    │   │   └── LLMTimeoutError     took longer than one call may; not called again in this run
    │   ├── LLMRejectedError        refused the request (key, model name, size)
    │   └── LLMOutputError          answered, but not in the schema asked for
    ├── WebError              the web: its search service, or one page
    │   ├── WebUnavailableError     cannot be reached, overloaded, timed out
    │   └── WebRefusedError         not fetched: its address, size, kind or robots.txt
    ├── StateError            the service's database
    │   └── StateUnavailableError   cannot be reached, overloaded, timed out
    ├── AdmissionError        the service does not take a request now (HTTP: with Retry-After)
    │   ├── TenantLimitError        the caller's own limit is reached (429)
    │   └── ServiceFullError        nobody is taken: all places are, or it shuts down (503)
    └── BudgetExceededError   calls, tokens, seconds or rounds are used up

Foreign errors are translated once, at the edge, with `from`. Each error says whether trying
again may help (`retryable`) and, where there is one, what to do (`help`).

Message and help may be shown to anybody, callers of the service included. Two fields may not:
`address` names the server that failed, without its secrets, and is for logs; `detail` has words of
other programs, which may repeat text of a document, and is for the terminal of whoever runs Upheld.
"""

from __future__ import annotations

import math

from upheld.types import Usage


class UpheldError(Exception):
    """Root of the tree."""

    retryable = False

    def __init__(
        self, message: str, *, help: str = "", detail: str = "", address: str = ""
    ) -> None:
        super().__init__(message)
        self.help, self.detail, self.address = help, detail, address

    def __str__(self) -> str:
        message = super().__str__()
        return f"{message}\n{self.help}" if self.help else message

    @property
    def first_line(self) -> str:
        """The first line of the message, for a place that has only one."""
        return next(iter(str(self).splitlines()), "")


class UsageError(UpheldError):
    """The caller asked for something that cannot be done."""


class SettingsError(UsageError):
    """A setting is unknown, missing or does not fit."""


class NotFoundError(UsageError):
    """A collection, document or version that does not exist."""


class ConflictError(UsageError):
    """What is asked contradicts what was asked before, or what is still under way."""


class UnknownCallerError(UsageError):
    """There is no key, or it is not live; which of the two is not told."""


class NotAllowedError(UsageError):
    """The key is good, but not for this."""


class TooLargeError(UsageError):
    """More bytes than are taken."""


class QuotaError(TooLargeError):
    """More documents or bytes than the tenant may have stored."""


class CalibrationError(UsageError):
    """Labelled claims, or a guarantee fitted on them, that cannot be used."""


class MissingExtraError(UpheldError):
    """A part needs an optional package that is not installed."""

    def __init__(self, what: str, extra: str, cause: str = "") -> None:
        seen = f" ({cause})" if cause else ""
        super().__init__(
            f"{what} needs packages that cannot be imported{seen}.",
            help=f"Install them with: pip install 'upheld[{extra}]'",
        )
        self.what, self.extra, self.cause = what, extra, cause


class ReadError(UpheldError):
    """One document could not be read; the rest go on."""


class EngineError(UpheldError):
    """The search engine or its storage."""


class EmbedderMismatchError(EngineError):
    """The collection was made with another embedder."""


class StorageError(EngineError):
    """Storage cannot be reached, or a commit failed."""

    retryable = True


class ModelError(UpheldError):
    """A local or remote encoder model."""


class LLMError(UpheldError):
    """The language model."""

    usage: Usage = Usage()  # what the failed call has cost: that counts against the budget too


class LLMUnavailableError(LLMError):
    """Cannot be reached, is overloaded, or timed out."""

    retryable = True
    retry_after: float | None = None  # seconds, where the server said so


class LLMTimeoutError(LLMUnavailableError):
    """One call took longer than `llm_timeout`; the rest of the run goes on without the model."""


class LLMRejectedError(LLMError):
    """Refused the request: key, model name, size."""


class LLMOutputError(LLMError):
    """Answered, but not in the schema asked for."""


class WebError(UpheldError):
    """The web: its search service, or one page."""


class WebUnavailableError(WebError):
    """Cannot be reached, is overloaded, or timed out."""

    retryable = True


class WebRefusedError(WebError):
    """We do not fetch it: its address, its size, its kind, or its robots.txt."""


class StateError(UpheldError):
    """The service's database."""


class StateUnavailableError(StateError):
    """Cannot be reached, is overloaded, or timed out."""

    retryable = True


class AdmissionError(UpheldError):
    """The service does not take a request now."""

    retryable = True

    def __init__(self, message: str, *, retry_after: float) -> None:
        self.retry_after = max(1, math.ceil(retry_after))  # whole seconds, as HTTP wants them
        unit = "second" if self.retry_after == 1 else "seconds"
        super().__init__(message, help=f"Try again in {self.retry_after} {unit}.")


class TenantLimitError(AdmissionError):
    """The caller's own limit: its rate, or what it has under way and waiting."""


class ServiceFullError(AdmissionError):
    """Nobody is taken: all places are, or the service shuts down."""


class BudgetExceededError(UpheldError):
    """Calls, tokens, seconds or rounds are used up."""
