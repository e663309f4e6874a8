"""The exceptions that Upheld raises.

    UpheldError
    ├── UsageError            the caller asked for something that cannot be done
    │   ├── SettingsError     a setting is unknown, missing or not valid
    │   ├── NotFoundError     the collection, document or other resource does not exist
    │   ├── ConflictError     the request conflicts with an earlier one, or with one in progress
    │   ├── UnknownCallerError      the API key is missing or not valid
    │   ├── NotAllowedError   the API key lacks the permission
    │   ├── TooLargeError     the request is larger than the limit
    │   │   └── QuotaError          the tenant may not store more documents or bytes
    │   └── CalibrationError  the labelled claims, or the guarantee, cannot be used
    ├── MissingExtraError     an optional package is needed, but not installed
    ├── ReadError             one document could not be read; other documents are not affected
    ├── EngineError           the search engine or its storage failed
    │   ├── EmbedderMismatchError   the collection was made with another embedder
    │   └── StorageError      storage cannot be reached, or a commit failed
    ├── BulkError             the worker processes or the cluster of bulk work failed
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
    └── BudgetExceededError   the budget of calls, tokens, seconds or rounds is used up

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
    """A setting is unknown, missing or not valid."""


class NotFoundError(UsageError):
    """The collection, document or other resource does not exist."""


class ConflictError(UsageError):
    """The request conflicts with an earlier one, or with one in progress."""


class UnknownCallerError(UsageError):
    """The API key is missing or not valid."""


class NotAllowedError(UsageError):
    """The API key lacks the permission."""


class TooLargeError(UsageError):
    """The request is larger than the limit."""


class QuotaError(TooLargeError):
    """The tenant may not store more documents or bytes."""


class CalibrationError(UsageError):
    """The labelled claims, or the guarantee fitted on them, cannot be used."""


class MissingExtraError(UpheldError):
    """An optional package is needed, but not installed."""

    def __init__(self, what: str, extra: str, cause: str = "") -> None:
        seen = f" ({cause})" if cause else ""
        super().__init__(
            f"{what} needs packages that cannot be imported{seen}.",
            help=f"Install them with: pip install 'upheld[{extra}]'",
        )
        self.what, self.extra, self.cause = what, extra, cause


class ReadError(UpheldError):
    """One document could not be read; other documents are not affected."""


class EngineError(UpheldError):
    """The search engine or its storage failed."""


class EmbedderMismatchError(EngineError):
    """The collection was made with another embedder."""


class StorageError(EngineError):
    """Storage cannot be reached, or a commit failed."""

    retryable = True


class BulkError(UpheldError):
    """The worker processes or the cluster of bulk work failed."""


class ModelError(UpheldError):
    """An encoder model (embedder, grader, verifier) failed."""


class LLMError(UpheldError):
    """The language model failed."""

    usage: Usage = Usage()  # cost of the failed call, which counts against the budget as well


class LLMUnavailableError(LLMError):
    """The language model cannot be reached, is overloaded or timed out."""

    retryable = True
    retry_after: float | None = None  # seconds, if the server sent a Retry-After


class LLMTimeoutError(LLMUnavailableError):
    """A call to the language model timed out.

    The limit is the setting `llm_timeout`; the run does not call the model again.
    """


class LLMRejectedError(LLMError):
    """The language model refused the request (key, model name, size)."""


class LLMOutputError(LLMError):
    """The reply of the language model does not match the schema."""


class WebError(UpheldError):
    """The web search service or one web page failed."""


class WebUnavailableError(WebError):
    """The web search service or page cannot be reached, is overloaded or timed out."""

    retryable = True


class WebRefusedError(WebError):
    """The web page is not fetched because of its address, size, type or robots.txt."""


class StateError(UpheldError):
    """The service's database failed."""


class StateUnavailableError(StateError):
    """The service's database cannot be reached, is overloaded or timed out."""

    retryable = True


class AdmissionError(UpheldError):
    """The service refuses the request for now."""

    retryable = True

    def __init__(self, message: str, *, retry_after: float) -> None:
        self.retry_after = max(1, math.ceil(retry_after))  # HTTP's Retry-After has whole seconds
        unit = "second" if self.retry_after == 1 else "seconds"
        super().__init__(message, help=f"Try again in {self.retry_after} {unit}.")


class TenantLimitError(AdmissionError):
    """The tenant's rate or concurrency limit is reached."""


class ServiceFullError(AdmissionError):
    """The service is at capacity or shutting down."""


class BudgetExceededError(UpheldError):
    """The budget of calls, tokens, seconds or rounds is used up."""
