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
    with pytest.raises(SettingsError, match=r"pasages.*did you mean 'passages'"):
        load_settings()


def test_wrong_values_name_the_setting_but_never_the_value() -> None:
    with pytest.raises(SettingsError, match="llm_timeout") as told:
        load_settings(llm_timeout=-1, llm_api_key="sk-secret")
    assert "sk-secret" not in str(told.value)


def test_a_misspelt_variable_is_refused_with_the_likely_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("UPHELD_METOD", "rag")
    with pytest.raises(SettingsError, match="UPHELD_METHOD"):
        load_settings()


def test_a_file_that_is_not_toml_is_named(in_empty_folder: Path) -> None:
    (in_empty_folder / "upheld.toml").write_text("kb = ../kb\n")
    with pytest.raises(SettingsError, match=r"upheld\.toml is not TOML"):
        load_settings()


def test_a_variable_that_is_not_json_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UPHELD_STORAGE", '{"a": 1')
    with pytest.raises(SettingsError, match="storage"):
        load_settings()


def test_an_address_that_is_no_address_is_refused() -> None:
    with pytest.raises(SettingsError, match="llm_url"):
        load_settings(llm_url="notaurl")


def test_the_key_is_never_shown() -> None:
    assert "sk-secret" not in repr(load_settings(llm_api_key="sk-secret"))


def test_every_setting_is_described() -> None:
    assert all(field.description for field in Settings.model_fields.values())
