"""What an OpenAI-compatible server refuses, said in our errors, with what to do and no secrets."""

from __future__ import annotations

import email.utils
import time
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

import openai
from pydantic import SecretStr

from upheld.errors import LLMError, LLMOutputError, LLMRejectedError, LLMUnavailableError

_RETRYABLE = frozenset({408, 409, 429})
_SHORTEST_SECRET = 6  # hiding shorter ones would garble texts, and they hide nothing


@dataclass(frozen=True)
class Endpoint:
    """A model on a server, and what must never be shown of it."""

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
        """The error to chain, unless printing it would print a secret that the server echoed."""
        return None if any(secret in str(error) for secret in self.secrets) else error

    def translate(self, error: Exception) -> LLMError:
        """An error of the SDK as one of ours."""
        if isinstance(error, openai.APITimeoutError):
            return LLMUnavailableError(
                f"the language model at {self.shown} did not answer in time",
                help="It may be overloaded or too slow for the time allowed.",
            )
        if isinstance(error, openai.APIConnectionError):
            return LLMUnavailableError(
                f"cannot reach the language model at {self.shown}",
                help=f"Is the server running at {self.shown}? Check the URL and its port.",
            )
        if isinstance(error, openai.APIStatusError):
            return self._from_status(error)
        if isinstance(error, openai.APIError) and error.body is not None:  # said inside a stream
            return LLMUnavailableError(f"{self.shown} failed as it wrote: {self._told(error)}")
        return LLMOutputError(
            f"{self.shown} answered, but not as a chat completion: {self._told(error)}",
            help="Is it an OpenAI-compatible server, and does its URL end in /v1?",
        )

    def unknown_model(self, error: Exception, known: tuple[str, ...]) -> LLMRejectedError:
        """A 404, explained by what the server does have."""
        help = f"The server lists these models: {', '.join(known)}."
        if not known:
            help = "It lists no models. Does the URL end in /v1?"
        return LLMRejectedError(
            f"{self.shown} does not have the model {self.model!r}: {self._told(error)}", help=help
        )

    def _from_status(self, error: openai.APIStatusError) -> LLMError:
        status, told = error.status_code, self._told(error)
        # An empty account answers 429 as well, and no waiting fills it.
        if (status in _RETRYABLE or status >= 500) and error.code != "insufficient_quota":
            unavailable = LLMUnavailableError(
                f"{self.shown} answered {status}: {told}",
                help="The server is overloaded or failing; its log may say why.",
            )
            unavailable.retry_after = retry_after(error.response.headers.get("retry-after"))
            return unavailable
        help = ""
        if status in (401, 403):
            help = "Check the API key of this server, and that it may use this model."
        elif "context" in told.lower():
            help = "Show fewer passages, ask for fewer tokens, or serve a larger context."
        return LLMRejectedError(f"{self.shown} refused ({status}): {told}", help=help)

    def _told(self, error: Exception) -> str:
        body = error.body if isinstance(error, openai.APIError) else None
        told = body.get("message") if isinstance(body, dict) else None
        return self.hide(str(told or error))[:300]  # cut last: half a secret would not be found


def retry_after(header: str | None) -> float | None:
    """Seconds to wait, from a Retry-After header in either of its forms."""
    if not header:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        when = email.utils.parsedate_tz(header)
        return max(0.0, email.utils.mktime_tz(when) - time.time()) if when else None
