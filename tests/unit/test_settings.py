"""Settings: the call wins over the environment, then the file; unknown ones are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from upheld.errors import SettingsError
from upheld.settings import Settings, load_settings


@pytest.fixture(autouse=True)
def in_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_rising_order(in_empty_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (in_empty_folder / "upheld.toml").write_text('kb = "from-file"\npassages = 7\nmethod = "rag"\n')
    monkeypatch.setenv("UPHELD_PASSAGES", "8")
    settings = load_settings(kb="from-call", method=None)
    assert (settings.kb, settings.passages, settings.method) == ("from-call", 8, "rag")


def test_unknown_settings_are_refused_with_their_name(in_empty_folder: Path) -> None:
    (in_empty_folder / "upheld.toml").write_text("pasages = 7\n")
    with pytest.raises(SettingsError, match="pasages"):
        load_settings()


def test_wrong_values_name_the_setting_but_never_the_value() -> None:
    with pytest.raises(SettingsError, match="llm_timeout") as told:
        load_settings(llm_timeout=-1, llm_api_key="sk-secret")
    assert "sk-secret" not in str(told.value)


def test_the_key_is_never_shown() -> None:
    assert "sk-secret" not in repr(load_settings(llm_api_key="sk-secret"))


def test_every_setting_is_described() -> None:
    assert all(field.description for field in Settings.model_fields.values())
