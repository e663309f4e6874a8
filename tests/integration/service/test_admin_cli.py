"""`upheld admin` on a real database, from nothing to a key that opens and one that does not."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from typer.testing import CliRunner

from tests.servers.postgres import State, new_name
from upheld.cli import app
from upheld.errors import ConflictError, NotFoundError, SettingsError
from upheld_service.db import keys
from upheld_service.db.database import Database
from upheld_service.db.dev_postgres import PrivatePostgres
from upheld_service.db.keys import Key, KeyScope

pytestmark = pytest.mark.real


@pytest.fixture(autouse=True)
def settings(state: State, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("UPHELD_DATABASE_URL", state.owner.get_secret_value())


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, ("admin", *arguments))
    if result.exception is not None:
        raise result.exception
    return result.output


def told(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--json"))


def verify(url: SecretStr, secret: str) -> Key | None:
    async def verified() -> Key | None:
        database = Database.open(url)
        try:
            return await keys.verify(database, secret)
        finally:
            await database.close()

    return asyncio.run(verified())


def test_migrate_says_where_the_database_is(
    postgres: PrivatePostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres.empty_database(new_name()).get_secret_value()
    monkeypatch.setenv("UPHELD_DATABASE_URL", url)
    assert "at revision 0013" in run("migrate")
    assert told("migrate") == {"revision": "0013"}


def test_a_tenant_and_its_keys(state: State) -> None:
    museum = told("tenant", "add", "museum")
    assert museum in told("tenant", "list")["tenants"]
    assert museum["id"] in run("tenant", "list")
    given = ("--scope", "ask", "--scope", "write", "--label", "staff", "--days", "90")
    made = told("key", "add", "museum", *given)
    assert told("key", "list", "museum") == {"keys": [made["key"]]}
    assert "secret_hash" not in made["key"]
    opened = verify(state.service, made["secret"])
    assert opened is not None
    assert str(opened.tenant) == museum["id"]
    assert opened.scopes == {KeyScope.ASK, KeyScope.WRITE}
    assert opened.labels == frozenset({"staff"})
    assert opened.expires_at is not None
    assert (opened.expires_at - opened.created_at).days in (89, 90)
    assert "is revoked" in run("key", "revoke", made["key"]["prefix"])
    assert "revoked" in run("key", "list", "museum")
    assert verify(state.service, made["secret"]) is None


def test_the_secret_is_printed_once_and_opens(state: State) -> None:
    run("tenant", "add", "library")
    shown = run("key", "add", "library")
    secret = next(word for word in shown.split() if word.startswith("uph_"))
    opened = verify(state.service, secret)
    assert opened is not None
    assert (opened.labels, opened.expires_at) == (None, None)
    assert secret not in run("key", "list", "library")


def test_a_key_without_labels_is_asked_for_by_name(state: State) -> None:
    run("tenant", "add", "archive")
    opened = verify(state.service, told("key", "add", "archive", "--unlabelled")["secret"])
    assert opened is not None
    assert opened.labels == frozenset()


def test_what_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    run("tenant", "add", "school")
    with pytest.raises(ConflictError, match="already a tenant school"):
        run("tenant", "add", "school")
    with pytest.raises(NotFoundError, match="no tenant schol"):
        run("key", "add", "schol")
    result = CliRunner().invoke(app, ("admin", "key", "add", "school", "--scope", "everything"))
    assert result.exit_code == 2
    assert "everything is not one of ask, verify, read, write" in result.output
    monkeypatch.delenv("UPHELD_DATABASE_URL")
    with pytest.raises(SettingsError, match="UPHELD_DATABASE_URL"):
        run("tenant", "list")


@pytest.mark.parametrize(
    "command",
    [
        ("migrate",),
        ("tenant", "add"),
        ("tenant", "list"),
        ("tenant", "delete"),
        ("key", "add"),
        ("key", "list"),
        ("key", "revoke"),
    ],
)
def test_the_help_has_examples(command: tuple[str, ...]) -> None:
    shown = run(*command, "--help")
    assert "Examples:" in shown
    assert f"upheld admin {' '.join(command)}" in shown
