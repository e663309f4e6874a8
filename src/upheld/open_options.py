"""The settings as keyword arguments of `Upheld.open`, for type checkers and editors.

The fields of `upheld.settings.Settings` describe each; `tests/unit/test_surface.py` checks that
the two agree. Separate from the settings because those import pydantic, which is slow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    import pathlib
    from pathlib import Path

    from pydantic import SecretStr

    from upheld.types import SearchMode


class OpenSettings(TypedDict, total=False):
    """The settings that `open` takes as keyword arguments: all but `kb`; None means "not set".

    Example::

        options: OpenSettings = {"search": "bm25", "passages": 8}
        kb = Upheld.open("kb", **options)
    """

    collection: str | None
    storage: dict[str, str] | None
    method: str | None
    search: SearchMode | str | None
    passages: int | None
    answer_tokens: int | None
    fallback_search: str | None
    local_models: bool | None
    threads: int | None
    llm_url: str | None
    llm_model: str | None
    llm_api_key: SecretStr | str | None
    planner_url: str | None
    planner_model: str | None
    planner_api_key: SecretStr | str | None
    checker_url: str | None
    checker_model: str | None
    checker_api_key: SecretStr | str | None
    model_cards: tuple[pathlib.Path, ...] | None
    llm_concurrency: int | None
    llm_timeout: float | None
    call_cache: Path | str | None
    judge: bool | None
    guarantee: Path | str | None
    database_url: SecretStr | str | None
    processes: int | None
    at_once: int | None
    waiting: int | None
    wait_seconds: float | None
    tenant_at_once: int | None
    tenant_waiting: int | None
    tenant_per_minute: float | None
    tenant_burst: int | None
    tenant_documents_per_minute: float | None
    tenant_documents: int | None
    tenant_mb: int | None
    jobs_at_once: int | None
    connections: int | None
    head_seconds: float | None
    body_seconds: float | None
    mcp_key: SecretStr | str | None
    metrics_key: SecretStr | str | None
    public_url: str | None
    keep_originals: bool | None
    answer_seconds: float | None
    answer_days: int | None
    max_request_mb: int | None
    max_held_mb: int | None
    open_indexes: int | None
    max_file_mb: int | None
    read_seconds: float | None
    read_memory_mb: int | None
