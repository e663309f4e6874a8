"""The exceptions that Upheld raises.

    UpheldError
    ├── UsageError            the caller asked for something that cannot be done
    │   ├── SettingsError     a setting is unknown, missing or does not fit
    │   ├── NotFoundError     a collection, document or version that does not exist
    │   ├── ConflictError     the request contradicts an earlier one, or one in progress
    │   ├── UnknownCallerError      the API key is missing or not valid
    │   ├── NotAllowedError   the API key lacks the permission
    │   ├── TooLargeError     the request is larger than the limit
    │   │   └── QuotaError          the tenant may not store more documents or bytes
    │   └── CalibrationError  labelled claims or a guarantee that cannot be used
    ├── MissingExtraError     a part needs an optional package that is not installed
    ├── ReadError             one document could not be read; other documents are not affected
    ├── EngineError           the search engine or its storage failed
    │   ├── EmbedderMismatchError   the collection was made with another embedder
    │   └── StorageError      storage cannot be reached, or a commit failed
    ├── ModelError            an encoder model (embedder, grader, verifier) failed
    ├── LLMError              the language model failed
    │   ├── LLMUnavailableError     it cannot be reached or is overloaded
    │   │   └── LLMTimeoutError     a call timed out; the run does not call the model again
    │   ├── LLMRejectedError        it refused the request (key, model name, size)
    │   └── LLMOutputError          its reply does not match the schema
    ├── WebError              the web search service or one web page failed
    │   ├── WebUnavailableError     it cannot be reached, is overloaded or timed out
    │   └── WebRefusedError         not fetched because of its address, size, type or robots.txt
    ├── StateError            the service's database failed
    │   └── StateUnavailableError   it cannot be reached, is overloaded or timed out
    ├── AdmissionError        the service refuses a request for now (HTTP: with Retry-After)
    │   ├── TenantLimitError        the tenant's rate or concurrency limit is reached (429)
    │   └── ServiceFullError        the service is at capacity or shutting down (503)
    └── BudgetExceededError   calls, tokens, seconds or rounds are used up

Errors of other libraries are translated once, in the adapters of `upheld.edge`, and chained with
`from`. `retryable` says whether a retry may help, and `help`, if not empty, what to do.

Message and help are safe to show to any caller of the service. Two fields are not: `address` names
the server that failed, without its secrets, for logs; `detail` has messages of other programs,
which may repeat text of a document, for the terminal of whoever operates Upheld.

The first line of a class docstring is the title of its HTTP problem response.
"""

from __future__ import annotations

import math

from upheld.types import Usage


class UpheldError(Exception):
    """Root of the tree.

    Example::

        try:
            kb.ask("When does the lighthouse open?")
        except UpheldError as error:
            print(error.help, "(retry later)" if error.retryable else "")
    """

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
        """The first line of the message, for log lines and notes."""
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

    usage: Usage = Usage()  # cost of the failed call, which counts against the budget as well


class LLMUnavailableError(LLMError):
    """Cannot be reached, is overloaded, or timed out."""

    retryable = True
    retry_after: float | None = None  # seconds, if the server sent a Retry-After


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
        self.retry_after = max(1, math.ceil(retry_after))  # HTTP's Retry-After has whole seconds
        unit = "second" if self.retry_after == 1 else "seconds"
        super().__init__(message, help=f"Try again in {self.retry_after} {unit}.")


class TenantLimitError(AdmissionError):
    """The caller's own limit: its rate, or what it has under way and waiting."""


class ServiceFullError(AdmissionError):
    """Nobody is taken: all places are, or the service shuts down."""


class BudgetExceededError(UpheldError):
    """Calls, tokens, seconds or rounds are used up."""
