"""The settings, read from `upheld.toml`, `UPHELD_*` variables and arguments; the last one wins."""

from __future__ import annotations

import difflib
import os
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)
from pydantic_settings import SettingsError as EnvironmentError_

from upheld._internal.deprecated import SETTINGS, DuplicateNameError, renamed
from upheld.errors import SettingsError
from upheld.types import SearchMode
from upheld.version import __version__

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo
    from pydantic_core import ErrorDetails

FILE = "upheld.toml"
_WHERE = f"They come from {FILE} in the working folder, from UPHELD_* variables and from the call."


class Settings(BaseSettings):
    """Every setting of Upheld; unknown names raise an error.

    Example::

        with Upheld.open("kb", passages=8) as kb:
            print(kb.settings.passages, kb.settings.search)
    """

    model_config = SettingsConfigDict(
        env_prefix="UPHELD_", toml_file=FILE, extra="forbid", frozen=True
    )

    kb: str = Field("kb", description="Folder or s3://bucket/prefix of the knowledge base.")
    collection: str = Field("default", description="Collection inside the knowledge base.")
    storage: dict[str, str] = Field(
        default_factory=dict,
        description="Object storage options (endpoint, keys, region); AWS_* works as well.",
    )
    method: str = Field("rag", description="How to answer: see `upheld methods`.")
    search: SearchMode = Field(SearchMode.HYBRID, description="bm25, nearest or hybrid.")
    passages: int = Field(
        5, ge=1, le=50, description="Number of passages that the answer is written from."
    )
    answer_tokens: int | None = Field(
        None,
        ge=20,
        description="Limit of tokens in the text of a written answer; without it, room for four "
        "long claims, or ten with the detailed answers of `a2r`.",
    )
    fallback_search: str | None = Field(
        None,
        description="Where to search if no passage found is relevant: the name of another "
        "collection, or the URL of a SearXNG server (http://…) to search the web.",
    )
    local_models: bool = Field(
        True, description="Use the small local models if the extra `local` is installed."
    )
    threads: int = Field(
        0,
        ge=0,
        description="Threads for local models; 0: the embedder takes the physical cores, "
        "the verifier all cores that the process may use.",
    )
    llm_url: str | None = Field(
        None,
        pattern=r"^https?://",
        description="An OpenAI-compatible server, for example http://127.0.0.1:8000/v1.",
    )
    llm_model: str | None = Field(None, description="The model's name on that server.")
    llm_api_key: SecretStr | None = Field(
        None, description="API key for that server, if it needs one."
    )
    planner_url: str | None = Field(
        None,
        pattern=r"^https?://",
        description="A server for the model that plans sub-questions; default: that of `llm_url`.",
    )
    planner_model: str | None = Field(
        None, description="The model that plans sub-questions; default: `llm_model`."
    )
    planner_api_key: SecretStr | None = Field(
        None, description="API key for the server of the planner."
    )
    checker_url: str | None = Field(
        None,
        pattern=r"^https?://",
        description="A server for the model that judges drafts; default: that of `llm_url`.",
    )
    checker_model: str | None = Field(
        None, description="The model that judges drafts; default: `llm_model`."
    )
    checker_api_key: SecretStr | None = Field(
        None, description="API key for the server of the checker."
    )
    model_cards: tuple[Path, ...] = Field(
        (),
        description="Files card.json of models that `upheld train` made and that you use; `upheld "
        "doctor` warns if their prompts differ from those of this version.",
    )
    llm_concurrency: int = Field(4, ge=1, description="Calls to that server at the same time.")
    llm_timeout: float = Field(120, gt=0, description="Seconds that one call may take.")
    call_cache: Path | None = Field(
        None,
        description="A folder to cache replies of the language model; they contain text of your "
        "documents.",
    )
    judge: bool = Field(
        False, description="Ask the language model about claims that the verifier is unsure of."
    )
    guarantee: Path | None = Field(
        None, description="A file that `upheld calibrate` wrote; it holds for one pipeline only."
    )
    database_url: SecretStr | None = Field(
        None,
        description="The service's PostgreSQL: postgresql://user:password@host/database.",
    )
    processes: int = Field(
        1, ge=1, description="Processes that serve together; they divide each tenant's rate."
    )
    at_once: int = Field(8, ge=1, description="Requests that one process works on at once.")
    waiting: int = Field(
        64, ge=0, description="Requests that may wait in one process; more are refused (503)."
    )
    wait_seconds: float = Field(
        10, gt=0, description="Seconds that a request waits for a place before it is refused."
    )
    tenant_at_once: int = Field(
        4, ge=1, description="Requests of one tenant that one process works on at once."
    )
    tenant_waiting: int = Field(
        16, ge=0, description="Requests of one tenant that may wait in one process (beyond: 429)."
    )
    tenant_per_minute: float = Field(
        600, gt=0, description="Requests a minute that a tenant may make, over all processes (429)."
    )
    tenant_burst: int = Field(
        60, ge=1, description="Burst: requests that a tenant may make at once after a pause."
    )
    tenant_documents_per_minute: float = Field(
        600,
        gt=0,
        description="Documents a minute that a tenant may send, over all processes (429).",
    )
    tenant_documents: int = Field(
        100_000, ge=1, description="Documents that a tenant may have stored (beyond: 413)."
    )
    tenant_mb: int = Field(
        10_000,
        ge=1,
        description="Megabytes that a tenant may have stored, as they were sent (beyond: 413).",
    )
    jobs_at_once: int = Field(
        4,
        ge=1,
        description="Tenants whose documents one process reads at once; each has one place, and "
        "deletions have others.",
    )
    connections: int = Field(
        500,
        ge=1,
        description="Connections that one process holds open; one more closes the one that has "
        "been without a request for longest.",
    )
    head_seconds: float = Field(
        10, gt=0, description="Seconds that a client may take to send the head of a request (408)."
    )
    body_seconds: float = Field(
        20,
        gt=0,
        description="Seconds without progress after which the body of a request times out (408).",
    )
    mcp_key: SecretStr | None = Field(
        None,
        min_length=16,
        description="Bearer token that clients of `upheld mcp --http` must send.",
    )
    metrics_key: SecretStr | None = Field(
        None,
        min_length=16,
        description="Bearer token that Prometheus must send to `/metrics` of the service; "
        "without it there is no `/metrics`.",
    )
    public_url: str | None = Field(
        None,
        pattern=r"^https?://[^/?#\s]+(/[^?#\s]*)?$",
        description="Public URL of the service, for example https://answers.example.org: "
        "links in its replies begin with it; without it they begin with /v1.",
    )
    keep_originals: bool = Field(
        True,
        description="Keep the files that the service reads, to show their pages; they are deleted "
        "with their documents.",
    )
    answer_seconds: float = Field(
        120, gt=0, description="Seconds that the service gives one answer at most."
    )
    answer_days: int | None = Field(
        None,
        ge=1,
        description="Days that the service keeps an answer; none: until its documents go.",
    )
    max_request_mb: int = Field(
        10, ge=1, description="Requests to the service larger than this are refused; not files."
    )
    max_held_mb: int = Field(
        100,
        ge=1,
        description="Megabytes of requests that one process of the service holds at once; more "
        "are refused (503), and of one tenant more than half of them (429).",
    )
    open_indexes: int = Field(
        64, ge=1, description="Tenants whose index a process of the service keeps open."
    )
    max_file_mb: int = Field(100, ge=1, description="Files larger than this are not read.")
    read_seconds: float = Field(60, gt=0, description="Seconds that reading one file may take.")
    read_memory_mb: int = Field(2000, ge=256, description="Memory that reading one file may take.")

    @property
    def setup(self) -> str:
        """The settings that influence answers, as text: a part of the pipeline's name."""
        writer = self.llm_model or "quotes"
        for name, model in (("planner", self.planner_model), ("checker", self.checker_model)):
            writer += f", {name} {model}" if model else ""
        length = "" if self.answer_tokens is None else f", {self.answer_tokens} tokens"
        return f"upheld {__version__}, {writer}, {self.search}, {self.passages} passages{length}"

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Return the sources of settings, by priority: arguments, `UPHELD_*`, `upheld.toml`."""
        old = DeprecatedVariables(settings_cls)
        return init_settings, env_settings, old, SettingsFile(settings_cls)


class SettingsFile(TomlConfigSettingsSource):
    """The source `upheld.toml`; names of version 0.1 still work, with a warning."""

    def __call__(self) -> dict[str, Any]:
        return renamed(super().__call__(), SETTINGS, f"in {FILE}, the setting")


class DeprecatedVariables(PydanticBaseSettingsSource):
    """The source of environment variables with names of version 0.1; a new name wins."""

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        old = {new: old for old, new in SETTINGS.items()}.get(field_name)
        return os.environ.get(_variable(old)) if old else None, field_name, False

    def __call__(self) -> dict[str, Any]:
        found = {_variable(old): os.environ.get(_variable(old)) for old in SETTINGS}
        names = {_variable(old): new for old, new in SETTINGS.items()}
        given = {name: value for name, value in found.items() if value is not None}
        return renamed(given, names, "the variable")


def _variable(setting: str) -> str:
    return f"UPHELD_{setting.upper()}"


def load_settings(**given: Any) -> Settings:
    """Read the settings; arguments override variables and files, and None means "not set".

    Raises `SettingsError` if a setting is unknown or invalid, or if the file is not TOML.
    """
    chosen = {key: value for key, value in given.items() if value is not None}
    _refuse_unknown_variables()
    try:
        return Settings(**renamed(chosen, SETTINGS, "the setting"))
    except ValidationError as error:
        wrong = "; ".join(_fault(each) for each in error.errors(include_input=False))
        raise SettingsError(f"These settings are not valid: {wrong}", help=_WHERE) from error
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{Path(FILE).resolve()} is not TOML: {error}") from error
    except DuplicateNameError as error:
        raise SettingsError(f"{error}.", help=_WHERE) from error
    except EnvironmentError_ as error:
        raise SettingsError(
            f"{error}.", help="A setting with several values is given as JSON."
        ) from error


def _fault(fault: ErrorDetails) -> str:
    name = ".".join(str(part) for part in fault["loc"])
    if fault["type"] != "extra_forbidden":
        return f"{name}: {fault['msg']}"
    close = difflib.get_close_matches(name, Settings.model_fields, n=1)
    return f"there is no setting '{name}'" + (f", did you mean '{close[0]}'?" if close else "")


def _refuse_unknown_variables() -> None:
    """Raise `SettingsError` for an unknown `UPHELD_*` variable, which is probably misspelt."""
    for name in os.environ:
        if name.startswith("UPHELD_") and not name.startswith("UPHELD_TEST_"):
            setting = name.removeprefix("UPHELD_").lower()
            if setting not in Settings.model_fields and setting not in SETTINGS:
                close = difflib.get_close_matches(setting, Settings.model_fields, n=1)
                hint = f"Did you mean UPHELD_{close[0].upper()}?" if close else _WHERE
                raise SettingsError(f"The variable {name} names no setting.", help=hint)
