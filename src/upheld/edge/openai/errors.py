"""Translate errors of an OpenAI-compatible server into ours, with help and without secrets."""

from __future__ import annotations

import email.utils
import time
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlsplit, urlunsplit

import openai
from pydantic import SecretStr

from upheld.errors import (
    LLMError,
    LLMOutputError,
    LLMRejectedError,
    LLMTimeoutError,
    LLMUnavailableError,
)

E = TypeVar("E", bound=LLMError)
_RETRYABLE = frozenset({408, 409, 429})
_SHORTEST_SECRET = 6  # to hide shorter ones would garble texts, and they protect nothing


@dataclass(frozen=True)
class Endpoint:
    """A model on a server, with the secrets that must never be shown."""

    base_url: str
    model: str
    api_key: SecretStr | None = None

    @property
    def shown(self) -> str:
        """The URL without credentials."""
        parts = urlsplit(self.base_url)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))

    @property
    def secrets(self) -> tuple[str, ...]:
        key = self.api_key.get_secret_value() if self.api_key else ""
        password = urlsplit(self.base_url).password or ""
        return tuple(secret for secret in (key, password) if len(secret) >= _SHORTEST_SECRET)

    def hide(self, text: str) -> str:
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return text

    def cause(self, error: Exception) -> Exception | None:
        """Return the error to chain, or None if it contains a secret that the server echoed."""
        return None if any(secret in str(error) for secret in self.secrets) else error

    def translate(self, error: Exception) -> LLMError:
        """Translate an error of the SDK into one of ours."""
        if isinstance(error, openai.APITimeoutError | TimeoutError):
            return self.late()
        if isinstance(error, openai.APIConnectionError):
            return self._error(
                LLMUnavailableError,
                "cannot reach the language model",
                help="Is its server running? Check llm_url and its port.",
            )
        if isinstance(error, openai.APIStatusError):
            return self._from_status(error)
        if isinstance(error, openai.APIError) and error.body is not None:  # inside a stream
            failed = "the language model failed as it wrote"
            return self._error(LLMUnavailableError, failed, self._told(error))
        return self._error(
            LLMOutputError,
            "the language model answered, but not as a chat completion",
            self._told(error),
            help="Is it an OpenAI-compatible server, and does its URL end in /v1?",
        )

    def late(self) -> LLMTimeoutError:
        """Return the error of a call that timed out, and of calls after it in the same run."""
        return self._error(
            LLMTimeoutError,
            "the language model did not answer in time",
            help="It may be overloaded, or too slow for the time allowed (llm_timeout).",
        )

    def unknown_model(self, error: Exception, known: tuple[str, ...]) -> LLMRejectedError:
        """Return the error for a 404, with the models that the server does have."""
        listed = f" The server lists these models: {', '.join(known)}." if known else ""
        return self._error(
            LLMRejectedError,
            f"the language model's server does not have the model {self.model!r}",
            f"{self._told(error)}{listed}",
            help="" if known else "It lists no models. Does the URL end in /v1?",
        )

    def _from_status(self, error: openai.APIStatusError) -> LLMError:
        status, told = error.status_code, self._told(error)
        # An account without credit also answers 429, and waiting does not help.
        if (status in _RETRYABLE or status >= 500) and error.code != "insufficient_quota":
            unavailable = self._error(
                LLMUnavailableError,
                f"the language model's server answered {status}",
                told,
                help="The server is overloaded or failing; its log may say why.",
            )
            unavailable.retry_after = retry_after(error.response.headers.get("retry-after"))
            return unavailable
        help = ""
        if status in (401, 403):
            help = "Check the API key of this server, and that it may use this model."
        elif "context" in told.lower():
            help = "Show fewer passages, ask for fewer tokens, or serve a larger context."
        refused = f"the language model's server refused ({status})"
        return self._error(LLMRejectedError, refused, told, help=help)

    def _error(self, kind: type[E], message: str, told: str = "", help: str = "") -> E:
        """Make an error whose message names no server: answers show it to the caller."""
        detail = f"{self.shown}: {told}" if told else self.shown
        return kind(message, help=help, detail=detail, address=self.shown)

    def _told(self, error: Exception) -> str:
        body = error.body if isinstance(error, openai.APIError) else None
        told = body.get("message") if isinstance(body, dict) else None
        return self.hide(str(told or error))[:300]  # cut last: half a secret would not be found


def retry_after(header: str | None) -> float | None:
    """Parse a Retry-After header, in either of its forms, to seconds."""
    if not header:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        when = email.utils.parsedate_tz(header)
        return max(0.0, email.utils.mktime_tz(when) - time.time()) if when else None
