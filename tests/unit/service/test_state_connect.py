"""Addresses of databases: read strictly, and never shown."""

from __future__ import annotations

import pytest
from pydantic import SecretStr

from upheld.errors import SettingsError
from upheld_service.db.connect import Role, address, conninfo, role_options

URL = SecretStr("postgresql://web:s3cret@db.example/upheld?options=-c%20work_mem%3D8MB")


def test_the_usual_address_is_taken_by_our_driver() -> None:
    assert address(URL).drivername == "postgresql+psycopg"
    assert conninfo(URL).startswith("postgresql://web:s3cret@db.example/upheld")


def test_options_of_the_address_stay_and_ours_comes_last() -> None:
    assert role_options(URL, Role.APP) == "-c work_mem=8MB -c role=upheld_app"
    assert role_options(SecretStr("postgresql://h/d"), Role.ADMIN) == "-c role=upheld_admin"


@pytest.mark.parametrize("url", ["s3cret", "sqlite:///s3cret.db", "mysql://u:s3cret@h/d", ""])
def test_another_address_is_refused_and_not_shown(url: str) -> None:
    with pytest.raises(SettingsError, match="UPHELD_DATABASE_URL") as told:
        address(SecretStr(url))
    assert "s3cret" not in str(told.value)


def test_no_address_says_how_to_set_one() -> None:
    with pytest.raises(SettingsError, match="UPHELD_DATABASE_URL"):
        address(None)
