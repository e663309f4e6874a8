"""Settings: data, read once from `upheld.toml`, `UPHELD_*` and the caller, in rising order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from upheld.errors import SettingsError
from upheld.types import SearchMode

FILE = "upheld.toml"


class Settings(BaseSettings):
    """Every setting of Upheld; unknown ones are refused."""

    model_config = SettingsConfigDict(
        env_prefix="UPHELD_", toml_file=FILE, extra="forbid", frozen=True
    )

    kb: str = Field("kb", description="Folder or s3://bucket/prefix of the knowledge base.")
    collection: str = Field("default", description="Collection inside the knowledge base.")
    storage: dict[str, str] = Field(
        default_factory=dict,
        description="Object storage options (endpoint, keys, region); AWS_* works as well.",
    )
    method: str = Field("rag", description="How to answer: see `upheld ask --help`.")
    search: SearchMode = Field(SearchMode.HYBRID, description="bm25, nearest or hybrid.")
    passages: int = Field(5, ge=1, le=50, description="How many passages the writer is given.")
    local_models: bool = Field(
        True, description="Use the small local models if the extra `local` is installed."
    )
    threads: int = Field(0, ge=0, description="Threads for local models; 0 takes every core.")
    llm_url: str | None = Field(
        None, description="An OpenAI-compatible server, for example http://127.0.0.1:8000/v1."
    )
    llm_model: str | None = Field(None, description="The model's name on that server.")
    llm_api_key: SecretStr | None = Field(None, description="Key for that server, if it wants one.")
    llm_concurrency: int = Field(4, ge=1, description="Calls to that server at the same time.")
    llm_timeout: float = Field(120, gt=0, description="Seconds that one call may take.")
    max_file_mb: int = Field(100, ge=1, description="Files larger than this are not read.")
    read_seconds: float = Field(120, gt=0, description="Seconds that reading one file may take.")
    read_memory_mb: int = Field(2048, ge=256, description="Memory that reading one file may take.")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)


def load_settings(**given: Any) -> Settings:
    """Settings with what the caller gave on top; None means "not given"."""
    chosen = {key: value for key, value in given.items() if value is not None}
    try:
        return Settings(**chosen)
    except ValidationError as error:
        wrong = "; ".join(
            f"{'.'.join(str(part) for part in fault['loc'])}: {fault['msg']}"
            for fault in error.errors(include_input=False)
        )
        raise SettingsError(
            f"These settings do not fit: {wrong}",
            help=f"They come from {Path(FILE).resolve()}, UPHELD_* variables and the call.",
        ) from error
